"""The tools: every one a typed function over a transaction, in one registry that all doors share."""
