"""The rules of budgets and windows: pure, and known to every layer above."""
