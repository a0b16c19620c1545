"""The doors of embeds."""
