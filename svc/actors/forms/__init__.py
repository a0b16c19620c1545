"""The actors of forms."""
