"""The actors of channels."""
