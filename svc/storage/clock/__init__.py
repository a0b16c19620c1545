"""What is kept of the time: tables, and what is done to them."""
