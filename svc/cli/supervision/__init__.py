"""The process and what watches over it: a system manager from outside, a thread from inside."""
