"""Agents and their runs, as they are stored."""
