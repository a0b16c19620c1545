"""Webhooks: the actor that sends the deliveries of one subscription."""
