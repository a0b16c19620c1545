"""Runs of workflows: units of work, each of which takes a step of some runs; and dry runs."""
