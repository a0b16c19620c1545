"""The form door."""
