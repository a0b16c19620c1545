"""The doors at which signed-in people try agents and models."""
