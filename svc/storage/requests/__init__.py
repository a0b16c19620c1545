"""The request log, stored."""
