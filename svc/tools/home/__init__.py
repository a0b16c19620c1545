"""The tool `home.get`: what waits, how it goes, the latest acts, and first steps."""
