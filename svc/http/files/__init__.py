"""Doors that take and serve files."""
