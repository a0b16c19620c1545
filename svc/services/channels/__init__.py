"""Calls of bridges."""
