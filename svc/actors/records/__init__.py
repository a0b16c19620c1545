"""The actors of records."""
