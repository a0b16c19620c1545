"""What a running service is made of: its sockets and listeners, its actor system, its room on the disk."""
