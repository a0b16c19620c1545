"""Files: their rows, what uses them, and their contents on the disk."""
