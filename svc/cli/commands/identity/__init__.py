"""Commands for organizations, people and keys."""
