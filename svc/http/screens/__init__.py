"""The server's half of the screens: their shell, their built files, and their live events."""
