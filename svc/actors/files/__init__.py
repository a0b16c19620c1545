"""The actor that removes files."""
