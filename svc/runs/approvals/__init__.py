"""Approved cards: their tools are run for who approves."""
