"""Runs of agents: what a model may call, what it is told, and the units of work of a run."""
