"""The agent: the rules of answering conversations by a model, within what it may reach."""
