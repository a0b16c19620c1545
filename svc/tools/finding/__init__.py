"""Finding tools by name or by a plain sentence."""
