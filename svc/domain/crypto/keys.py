"""Secrets and public keys: a prefix, 32 random base62 characters, and 6 of CRC32.

The checksum lets secret scanners tell a real one from a look-alike, and lets a door
refuse a mistyped one without a look-up. Secrets are stored as their SHA-256 alone.
"""

import string
import zlib
from hashlib import sha256
from itertools import count
from typing import Final

from svc.domain.randomness import Randomness

FORM_KEY: Final = "svcf_"
EMBED_KEY: Final = "svce_"
API_KEY: Final = "svck_"
GATEWAY_KEY: Final = "svcg_"
ACCESS_TOKEN: Final = "svca_"  # noqa: S105  # a prefix
REFRESH_TOKEN: Final = "svcr_"  # noqa: S105  # a prefix
APP_SECRET: Final = "svco_"  # noqa: S105  # a prefix
SERVER_KEY: Final = "sk_live_"
CHANNEL_KEY: Final = "ck_live_"
SIGN_IN_LINK: Final = "svcl_"
FIRST_OWNER: Final = "svcn_"
INVITATION: Final = "svci_"
RESET_LINK: Final = "svcw_"
PROOF_LINK: Final = "svcp_"
ADDRESS_LINK: Final = "svcm_"
SESSION: Final = "svcs_"

_BASE62: Final = string.digits + string.ascii_uppercase + string.ascii_lowercase
_EVEN_BYTES: Final = 256 - 256 % len(_BASE62)
"""Bytes from here on are dropped: with them, some digits would be likelier than others."""
_BODY_LENGTH: Final = 32
_CHECK_LENGTH: Final = 6
_VISIBLE_LENGTH: Final = 6


def new_key(prefix: str, random: Randomness) -> str:
    """A new key or secret with *prefix*: 190 random bits and a checksum."""
    digits = ""
    while len(digits) < _BODY_LENGTH:
        digits += "".join(_BASE62[byte % len(_BASE62)] for byte in random(_BODY_LENGTH) if byte < _EVEN_BYTES)
    body = prefix + digits[:_BODY_LENGTH]
    return body + _checksum(body)


def derived_key(prefix: str, seed: bytes) -> str:
    """The key with *prefix* that follows from *seed*, 32 secret bytes: always the same one."""
    counter = count()

    def stream(_size: int) -> bytes:
        return sha256(seed + next(counter).to_bytes(4, "big")).digest()

    return new_key(prefix, stream)


def well_formed(key: str, prefix: str) -> bool:
    """Whether *key* has *prefix*, the right length and a checksum that fits."""
    return (
        len(key) == len(prefix) + _BODY_LENGTH + _CHECK_LENGTH
        and key.startswith(prefix)
        and key.isascii()
        and key[-_CHECK_LENGTH:] == _checksum(key[:-_CHECK_LENGTH])
    )


def digest(secret: str) -> str:
    """What is stored of a secret: its SHA-256 in hexadecimal."""
    return sha256(secret.encode()).hexdigest()


def visible_start(secret: str, prefix: str) -> str:
    """The part of a secret that lists may show: its prefix and the first six characters."""
    return secret[: len(prefix) + _VISIBLE_LENGTH]


def _checksum(body: str) -> str:
    rest = zlib.crc32(body.encode())
    digits = []
    for _ in range(_CHECK_LENGTH):
        rest, digit = divmod(rest, len(_BASE62))
        digits.append(_BASE62[digit])
    return "".join(reversed(digits))
