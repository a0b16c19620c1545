"""The program's commands."""
