"""`workflow.*`: what happens by itself when something else does."""
