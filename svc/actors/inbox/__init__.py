"""What the inbox keeps in memory: who looks at which conversation."""
