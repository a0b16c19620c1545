"""Builds the program with its interpreter: as one file, and as a `.deb`."""
