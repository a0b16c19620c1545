"""The doors of forms."""
