"""Calls of tools, by whoever calls them."""
