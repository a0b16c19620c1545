"""The configuration: a type for each section, how it is loaded, and what has to hold together."""
