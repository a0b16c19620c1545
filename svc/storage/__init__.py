"""Tables, one folder a noun, and the store that runs units of work over them."""
