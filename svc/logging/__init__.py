"""The log: its records, a rate for repeated lines, and a stream that may fail."""
