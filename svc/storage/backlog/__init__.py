"""What waits in the database, of every noun that has a queue: how much, where, since when, and why."""
