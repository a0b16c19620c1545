"""The doors of tools."""
