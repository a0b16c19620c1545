"""The tools of agents, and the units of work of their runs."""
