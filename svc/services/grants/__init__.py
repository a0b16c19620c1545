"""Connected apps: consent, and tokens for it."""
