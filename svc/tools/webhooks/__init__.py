"""The tools of events and webhooks."""
