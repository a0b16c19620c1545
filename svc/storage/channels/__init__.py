"""What is kept of channels: tables, and what is done to them."""
