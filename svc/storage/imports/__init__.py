"""Imports as stored: jobs, their uploads, and what they leave."""
