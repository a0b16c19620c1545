"""Calls of models: the gateway, and trials at the screens."""
