"""Records carried between files and an installation: a service elsewhere, or a data directory."""
