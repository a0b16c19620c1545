"""Views: lists that people save, for themselves or for all."""
