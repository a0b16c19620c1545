"""Storage of channels: tables, and the reads and writes of them."""
