"""What is kept of records: tables, and what is done to them."""
