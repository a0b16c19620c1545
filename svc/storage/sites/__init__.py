"""What is kept of sites: tables, and what is done to them."""
