"""What is kept of embeds: tables, and what is done to them."""
