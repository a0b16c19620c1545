"""The request log in memory, until it is written."""
