"""What is kept of forms: tables, and what is done to them."""
