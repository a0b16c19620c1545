"""The AI gateway's settlements, and what else of it outlives a request."""
