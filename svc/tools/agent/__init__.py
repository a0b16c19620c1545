"""The tools of agents: how one is set, and its runs."""
