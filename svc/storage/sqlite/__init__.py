"""What is SQLite's own: its files, its settings, its transactions."""
