"""The same job as it would otherwise be written, and servers that do nothing, to be compared with."""
