"""The rules of embeds: pure, and known to every layer above."""
