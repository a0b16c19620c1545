"""The actors of sites."""
