"""`workflow.*`: what happens by itself when something else does, and how its steps run."""
