"""The actors of organizations, members, roles, keys and sessions."""
