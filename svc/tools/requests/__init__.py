"""The tools of the request log."""
