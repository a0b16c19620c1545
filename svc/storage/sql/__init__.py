"""What databases say in different words: each expression with its SQL for each of them."""
