"""The doors of channels."""
