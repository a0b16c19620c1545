"""Doors of the inbox that are no tools."""
