"""`import.*`."""
