"""Mail: what the service writes to people, and when it tries again."""
