"""Storage of embeds: tables, and the reads and writes of them."""
