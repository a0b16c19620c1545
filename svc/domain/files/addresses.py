"""Signed addresses of files: a way to one file that needs no key, and ends."""

import hmac
from base64 import urlsafe_b64encode
from typing import Final

from svc.domain.files.limits import FILE_ADDRESS_LIFE_MS
from svc.domain.identity.callers import FileLinks
from svc.domain.locale.times import SECOND_MS

PATH: Final = "/api/v1/files/"
_DIGITS_MAX: Final = 12


class FileAddresses(FileLinks):
    """Makes and checks addresses, under a key of this installation."""

    __slots__ = ("_key",)

    def __init__(self, key: bytes) -> None:
        # A key of its own: what is signed here opens nothing else that the installation's key is for.
        self._key = hmac.digest(key, b"svc:file addresses", "sha256")

    def __repr__(self) -> str:
        return "FileAddresses(•••)"

    def sign(self, base_url: str, file_id: str, now: int) -> tuple[str, int]:
        """The address of the file below *base_url*, and when it ends: `FILE_ADDRESS_LIFE_MS` from *now*.

        Times are ms since the epoch.
        """
        ends = (now + FILE_ADDRESS_LIFE_MS) // SECOND_MS
        address = f"{base_url}{PATH}{file_id}?exp={ends}&sig={self._signature(file_id, str(ends))}"
        return address, ends * SECOND_MS

    def holds(self, file_id: str, ends: str, signature: str, now: int) -> bool:
        """Whether an address with these parts was made here, unchanged, and has not ended."""
        if not (ends.isascii() and ends.isdigit() and len(ends) <= _DIGITS_MAX):
            return False
        expected = self._signature(file_id, ends).encode()
        return hmac.compare_digest(expected, signature.encode()) and now < int(ends) * SECOND_MS

    def _signature(self, file_id: str, ends: str) -> str:
        signed = hmac.digest(self._key, f"{file_id}.{ends}".encode(), "sha256")
        return urlsafe_b64encode(signed).decode().rstrip("=")
