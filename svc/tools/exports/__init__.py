"""The tools of exports."""
