"""A messenger to play with: its users are browser pages, and its bridge is the client kit's."""
