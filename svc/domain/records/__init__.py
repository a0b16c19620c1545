"""The rules of records: pure, and known to every layer above."""
