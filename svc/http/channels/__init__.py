"""The channel doors, for the bridges of messengers."""
