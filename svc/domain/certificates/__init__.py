"""Certificates by ACME (RFC 8555): when one is renewed, and what would fail."""
