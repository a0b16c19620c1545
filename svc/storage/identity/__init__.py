"""Storage of organizations, members, roles, keys and sessions: tables, and the reads and writes of them."""
