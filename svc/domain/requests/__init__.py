"""The request log: one line for each call of a key."""
