"""A demo messenger: its users are browser pages, its bridge uses the client kit."""
