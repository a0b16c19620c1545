"""Tools about mail."""
