"""What Home reads of several nouns: the latest acts, and what their targets are called."""
