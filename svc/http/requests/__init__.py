"""What calls leave in the request log."""
