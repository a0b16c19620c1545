"""The doors of OAuth: metadata, authorization, tokens and registration."""
