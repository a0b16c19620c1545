"""The tools of organizations, members, roles, keys and sessions."""
