"""The doors of problems."""
