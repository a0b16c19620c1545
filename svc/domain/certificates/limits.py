"""Limits of certificates. Docs and contract show these.

Sources: the contract's table of limits; where it is silent, the choice is ours and the line says why.
"""

from typing import Final

CERTIFICATE_NAMES_MAX: Final = 20
"""Names of one certificate by ACME. Ours: one that fails keeps the others waiting."""
