"""Certificates by ACME: the actor that renews them, and the client of the directory."""
