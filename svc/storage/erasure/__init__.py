"""Erasing one person from everything that an organization has."""
