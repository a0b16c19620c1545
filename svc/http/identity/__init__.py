"""The doors of organizations, members, roles, keys and sessions."""
