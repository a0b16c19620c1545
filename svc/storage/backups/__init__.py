"""Backups: the archive of data, key and files, and the backups that are kept in a directory."""
