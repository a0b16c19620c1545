"""The tools of sites."""
