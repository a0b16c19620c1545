"""The tools of records."""
