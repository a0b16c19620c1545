"""Workflows as they are stored: documents by version, runs and their steps, and what starts them."""
