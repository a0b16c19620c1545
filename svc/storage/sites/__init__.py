"""Storage of sites: tables, and the reads and writes of them."""
