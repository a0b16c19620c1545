"""The rules of channels: pure, and known to every layer above."""
