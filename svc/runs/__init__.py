"""What runs tools for somebody: runs of agents, steps of workflows, approved cards.

Functions over a transaction that call tools, and read and write the rows of runs. There is no actor in it;
actors say when a run goes on.
"""
