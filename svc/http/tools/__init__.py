"""The doors of tools, and their OpenAPI contract."""
