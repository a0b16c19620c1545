"""The operator's listener."""
