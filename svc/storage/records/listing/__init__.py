"""What lists of records and the search are made of: their indexes, and the ways along them."""
