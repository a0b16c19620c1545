"""The actors of the system, and the small runtime that they live on."""
