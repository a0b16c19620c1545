"""Sealing: how secrets that the service itself must use again are stored.

AES-256-GCM under a key of this installation, with the purpose as associated data: a secret sealed for one
purpose does not open for another. So write access to the database is not enough to move a secret to a place
from which it would be sent elsewhere.
"""

from typing import TYPE_CHECKING, Final

from svc.domain.randomness import SYSTEM, Randomness

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_VERSION: Final = b"\x01"
_NONCE_BYTES: Final = 12


class SealBroken(Exception):
    """Raised for data that was not sealed with this key for this purpose, or was changed since.

    The installation's key was replaced, or the data was tampered with.
    """


class Sealer:
    """Seals and opens under one key of 32 bytes."""

    __slots__ = ("_key", "_random")

    def __init__(self, key: bytes, random: Randomness = SYSTEM) -> None:
        """*random* gives the nonces."""
        self._key = key
        self._random = random

    def __repr__(self) -> str:
        return "Sealer(•••)"

    def seal(self, secret: str, purpose: str) -> bytes:
        """*secret*, as it may be stored. *purpose* names the one place that it is for, such as a row's id."""
        nonce = self._random(_NONCE_BYTES)
        return _VERSION + nonce + self._cipher().encrypt(nonce, secret.encode(), _VERSION + purpose.encode())

    def open(self, sealed: bytes, purpose: str) -> str:
        """The secret that was sealed. Raises `SealBroken`."""
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415  # see `_cipher`

        version, nonce, rest = sealed[:1], sealed[1 : 1 + _NONCE_BYTES], sealed[1 + _NONCE_BYTES :]
        try:
            return self._cipher().decrypt(nonce, rest, version + purpose.encode()).decode()
        except (InvalidTag, ValueError) as error:
            raise SealBroken("a stored secret cannot be opened with this installation's key") from error

    def _cipher(self) -> "AESGCM":
        # Imported when it is needed: it takes 6 MiB, and many installations seal nothing.
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415

        return AESGCM(self._key)
