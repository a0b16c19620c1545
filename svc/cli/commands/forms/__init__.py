"""The program's forms."""
