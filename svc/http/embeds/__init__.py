"""The embed door and the loader script."""
