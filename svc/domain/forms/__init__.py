"""The rules of forms: pure, and known to every layer above."""
