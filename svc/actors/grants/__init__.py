"""What the doors of OAuth share."""
