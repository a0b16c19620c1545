"""The history of the schema. `python -m svc.storage.migrations "what changed"` writes the next revision."""
