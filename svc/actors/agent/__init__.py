"""The actor that answers a conversation."""
