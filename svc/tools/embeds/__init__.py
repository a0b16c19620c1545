"""The tools of embeds."""
