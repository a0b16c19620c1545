"""Commands for forms, submissions and server keys."""
