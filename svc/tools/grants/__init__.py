"""Tools about connected apps and their grants."""
