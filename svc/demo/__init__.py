"""The demo: a shop's organization, its page, and a messenger to play with."""
