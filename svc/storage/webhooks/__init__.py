"""Webhooks as they are stored: subscriptions, their deliveries, and the attempts at these."""
