"""The doors of sites."""
