"""Backups by schedule."""
