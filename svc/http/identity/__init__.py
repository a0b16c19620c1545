"""The doors for signing in and out."""
