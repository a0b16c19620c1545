"""The ACME account, the certificate and what failed, as private files in a directory of their own.

They are not in the database: the certificate is needed before that is open, and by OpenSSL as a file. They
are not in backups either: another machine gets an account and a certificate of its own.
"""

from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
import structlog

from svc.domain.certificates.chains import read_chain
from svc.domain.certificates.renewal import Failures, Validity
from svc.domain.errors import InvalidValue
from svc.storage.private_files import replace_private

log = structlog.get_logger("svc.storage.certificates")

FILE_BYTES_MAX: Final = 131_072
_FOLDER: Final = 0o700
_ROOM_BYTES: Final = 16_384

T = TypeVar("T")


class Account(msgspec.Struct, frozen=True, rename="camel"):
    """The account at a directory."""

    directory: str
    key: dict[str, Any]
    """The private key, as a JWK."""
    email: str | None = None
    url: str | None = None
    """None until the directory has made it: the key is stored before, so that there is never a second one."""
    terms: str | None = None
    """The address of the terms that were accepted."""

    def __repr__(self) -> str:
        return f"Account({self.directory!r}, •••)"


class CertificateFiles:
    """The files beside *certificate*. Their directory is made with the first of them. All methods block."""

    def __init__(self, certificate: Path) -> None:
        self._root = root = certificate.parent
        self.certificate: Final = certificate
        """The private key and the chain. One file, so that no crash leaves a key beside another's chain."""
        self._account = root / "account.json"
        self._failures = root / "failures.json"

    def account(self, directory: str) -> Account | None:
        """The account at *directory*. One that cannot be read counts as missing: another is made."""
        account = self._read(self._account, Account)
        return account if account is not None and account.directory == directory else None

    def keep_account(self, account: Account) -> None:
        """Store *account*."""
        self._write(self._account, msgspec.json.encode(account))

    def failures(self) -> Failures | None:
        """The orders that failed since the last one that did not."""
        return self._read(self._failures, Failures)

    def keep_failures(self, failures: Failures | None) -> None:
        """Store *failures*; None if the last order did not fail."""
        if failures is None:
            self._failures.unlink(missing_ok=True)
        else:
            self._write(self._failures, msgspec.json.encode(failures))

    def validity(self) -> Validity | None:
        """What the certificate says; None if there is none, or one that cannot be read."""
        try:
            with self.certificate.open("rb") as file:
                return read_chain(file.read(FILE_BYTES_MAX))
        except FileNotFoundError:
            return None
        except (OSError, InvalidValue) as error:
            log.warning("the stored certificate cannot be read", file=str(self.certificate), why=str(error))
            return None

    def keep_certificate(self, key_pem: bytes, chain_pem: bytes) -> None:
        """Store a certificate and its key, in place of the present ones."""
        self._write(self.certificate, key_pem.rstrip() + b"\n" + chain_pem.rstrip() + b"\n")

    def check_room(self) -> None:
        """Check that a certificate could be stored. Raises `OSError`."""
        rehearsal = self._root / "rehearsal"
        self._write(rehearsal, b" " * _ROOM_BYTES)
        rehearsal.unlink()

    def _read(self, path: Path, kind: type[T]) -> T | None:
        try:
            with path.open("rb") as file:
                return msgspec.json.decode(file.read(FILE_BYTES_MAX), type=kind)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.MsgspecError) as error:
            log.warning("a file of the certificates cannot be read", file=str(path), why=str(error))
            return None

    def _write(self, path: Path, content: bytes) -> None:
        self._root.mkdir(mode=_FOLDER, parents=True, exist_ok=True)
        replace_private(path, content)
