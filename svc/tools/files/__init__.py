"""Tools about files."""
