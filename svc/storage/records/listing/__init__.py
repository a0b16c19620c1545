"""Lists and search of records: their indexes, and the plans that read along them."""
