"""Undo of imports: what one has written is noted beside it, and taken back in pieces."""
