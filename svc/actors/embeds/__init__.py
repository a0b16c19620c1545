"""The actors of embeds."""
