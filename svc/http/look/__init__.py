"""What all pages look like: the typeface, and the colours that the rest is made of."""
