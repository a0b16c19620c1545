"""Group commit: units of work in queues, in batches, on lanes. What a database adds is a `Database`."""
