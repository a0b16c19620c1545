"""The rules of organizations, members, roles, keys and sessions: pure, and known to every layer above."""
