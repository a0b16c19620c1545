"""Benches: what the program does in a second, beside the same job as it would otherwise be written."""
