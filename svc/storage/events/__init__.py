"""Events: recorded with what they report, dispatched in order, and listed."""
