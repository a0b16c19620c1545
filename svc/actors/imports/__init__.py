"""Imports: the actor that reads them."""
