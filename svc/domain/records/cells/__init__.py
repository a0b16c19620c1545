"""Cells of CSV files: what kinds of properties need to read and to write theirs."""
