"""What doors call: calls from a credential to an answer, over actors, tools and storage."""
