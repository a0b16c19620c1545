"""What comes from outside: JSON, its faults, and names that are nearly right."""
