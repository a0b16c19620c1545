"""Imports: files read line by line as records; and records written to files."""
