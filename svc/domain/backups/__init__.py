"""Backups by schedule: when one is due."""
