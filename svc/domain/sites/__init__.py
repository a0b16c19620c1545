"""The rules of sites: pure, and known to every layer above."""
