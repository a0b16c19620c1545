"""The tools of channels."""
