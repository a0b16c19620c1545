"""Storage of forms: tables, and the reads and writes of them."""
