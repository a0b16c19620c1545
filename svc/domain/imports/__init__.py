"""Imports: files of people's records, read line by line; and the forms in which records are written to files."""
