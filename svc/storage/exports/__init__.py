"""Exports: jobs, and the lines that they write."""
