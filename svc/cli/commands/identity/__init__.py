"""The program's organizations, members, roles, keys and sessions."""
