"""Kinds of properties, a module each: all that the program knows of a type stands in there, once."""
