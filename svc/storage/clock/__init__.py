"""Storage of the time: marks of the clock, and the repair of stored times that are wrong."""
