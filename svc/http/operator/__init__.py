"""The doors of operator."""
