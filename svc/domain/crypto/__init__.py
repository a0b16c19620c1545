"""The rules of keys, seals and signatures: pure, and known to every layer above."""
