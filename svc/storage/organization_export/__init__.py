"""The export of a whole organization: which files it has, and their lines."""
