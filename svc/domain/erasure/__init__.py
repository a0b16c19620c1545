"""Erasing a person: what tells that a text is about them."""
