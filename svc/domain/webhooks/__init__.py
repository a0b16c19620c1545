"""The rules of webhooks: subscriptions, and the delivery of events to them."""
