"""What people are told, and do, about their ways in."""
