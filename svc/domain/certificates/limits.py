"""Limits of certificates. Docs and contract show these.

A number that a caller meets is the interface's; where the choice is ours, the line says so.
"""

from typing import Final

CERTIFICATE_NAMES_MAX: Final = 20
"""Names of one certificate by ACME. Ours: one that fails keeps the others waiting."""
