"""What is kept of organizations, members, roles, keys and sessions: tables, and what is done to them."""
