"""Duplicates: what records have in common, the groups that have it, and which of them are not the same."""
