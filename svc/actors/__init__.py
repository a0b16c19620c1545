"""The actors of the house, and the small runtime that they live on."""
