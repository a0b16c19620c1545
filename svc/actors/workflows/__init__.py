"""The actors of workflows."""
