"""The tools of forms."""
