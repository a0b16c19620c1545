"""The AI gateway's door."""
