"""What screens open with, hear of, and are sent to."""
