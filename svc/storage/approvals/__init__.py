"""Approvals as they are stored: cards, each decided once."""
