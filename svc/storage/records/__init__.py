"""Storage of records: tables, and the reads and writes of them."""
