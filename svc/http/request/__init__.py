"""The doors of what every request carries."""
