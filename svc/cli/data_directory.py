"""The data directory: the database and the private files beside it."""

import hmac
import os
import re
import secrets
import stat
from base64 import b32encode
from pathlib import Path
from typing import Final, Self

import msgspec

from svc.cli.failures import Failure
from svc.config.database import DatabaseUrl
from svc.config.settings import DataSettings, Secret
from svc.storage.backups.originals import Originals
from svc.storage.private_files import draft_of, replace_private

KEY_BYTES: Final = 32
_INSTALLATION_BYTES: Final = 5
_INSTALLATION: Final = re.compile(r"[a-z2-7]{8}")
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
_SYSTEM_FILES: Final = frozenset({"lost+found", ".DS_Store"})
"""Files that the operating system creates in an otherwise empty directory."""


class DataDirectory:
    """The data directory at *path*, whose data may be in a PostgreSQL database, at *database_url*."""

    def __init__(self, path: Path, database_url: DatabaseUrl | None = None) -> None:
        self.path = path
        self.database = path / "svc.db"
        self.database_url = database_url
        self.secret_key = path / "secret.key"
        self.operator_token = path / "operator.token"
        self.installation = path / "installation"
        self.service = path / "service.json"
        self.reserve = path / "reserve"
        """Room for a start on a full disk: see `svc.cli.serving.reserve`."""
        self.demo = path / "demo.json"
        self.demo_environment = path / "demo.env"
        self.files = path / "files"
        """The contents of files: see `svc.storage.files.directory`."""
        self.exports = path / "exports"
        """The files of exports, for a day each; no backup has them."""
        self.upgrade_check = path / "upgrade-check"
        """A copy of the database, while `svc upgrade --check` tries the migrations on it."""
        self.tls = path / "tls"
        """The certificate by ACME: see `svc.storage.certificates`."""

    @classmethod
    def of(cls, settings: DataSettings) -> Self:
        """The configured one."""
        return cls(settings.directory, settings.database)

    @property
    def place(self) -> str:
        """Where the data is, for messages."""
        return str(self.database) if self.database_url is None else self.database_url.shown

    @property
    def originals(self) -> Originals:
        """What a backup is made of."""
        return Originals(self.database, self.secret_key, self.files)

    def make(self) -> None:
        """Create the directory, readable only by its owner, if it does not exist. Raises `Failure`."""
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        except FileExistsError:
            raise Failure(f"{self.path} is not a directory: name another with --data") from None
        except OSError as error:
            raise Failure(f"{self.path} cannot be made: {error.strerror}") from error
        if not os.access(self.path, os.R_OK | os.W_OK | os.X_OK):
            raise Failure(f"{self.path} is not writable for this user: change its owner, or name another")

    def has_data(self) -> bool:
        """Whether the database has content: the files of an interrupted first start may be empty."""
        database = self.database
        return any(
            path.exists() and path.stat().st_size > 0
            for path in (database, database.with_name(f"{database.name}-wal"))
        )

    def foreign_files(self) -> list[str]:
        """The names of files in the directory that are not this program's, in alphabetical order."""
        if not self.path.is_dir():
            return []
        own_files = (
            self.secret_key,
            self.operator_token,
            self.installation,
            self.service,
            self.demo,
            self.demo_environment,
        )
        own_names = {
            *(path.name for path in own_files),
            *(draft_of(path).name for path in own_files),
            self.files.name,
            self.exports.name,
            self.tls.name,
            self.upgrade_check.name,
            self.reserve.name,
            *(f"{self.database.name}{suffix}" for suffix in ("", "-wal", "-shm", "-journal", ".lock")),
        }
        return sorted({path.name for path in self.path.iterdir()} - own_names - _SYSTEM_FILES)

    def open_key(self) -> "SecretKey":
        """The installation's key; generated if there is neither a key nor data yet.

        Raises `Failure` if the key is missing or damaged, or if other users can read it.
        """
        if not self.secret_key.exists():
            if self.database.exists():
                raise Failure(
                    f"{self.secret_key} is missing, and there is data in {self.database}. With a new key"
                    " senders would no longer be known by what is stored of them, and what is stored"
                    " encrypted could never be read. Put the key back, or restore a backup."
                )
            replace_private(self.secret_key, secrets.token_bytes(KEY_BYTES))
        key = read_private(self.secret_key)
        if len(key) != KEY_BYTES:
            raise Failure(
                f"{self.secret_key} has {len(key)} bytes and must have {KEY_BYTES}. Put the right key back,"
                " or restore a backup."
            )
        return SecretKey(key)

    def open_token(self) -> Secret:
        """The operator's token; generated if missing. Raises `Failure` if the file is not usable."""
        if not self.operator_token.exists():
            replace_private(self.operator_token, f"{secrets.token_urlsafe(KEY_BYTES)}\n".encode())
        try:
            return Secret(read_private(self.operator_token).decode().strip())
        except ValueError as error:
            raise Failure(
                f"{self.operator_token}: {error}. Remove the file, and the next start makes one."
            ) from error

    def open_installation(self) -> str:
        """The installation's id, which names its backups; generated if missing. Raises `Failure`.

        It is in no backup: what is restored from one is another installation, beside the first perhaps.
        """
        if not self.installation.exists():
            made = b32encode(secrets.token_bytes(_INSTALLATION_BYTES)).lower()
            replace_private(self.installation, made + b"\n")
        found = self.installation_id()
        if found is None or not _INSTALLATION.fullmatch(found):
            raise Failure(f"{self.installation} has no id. Remove the file, and the next start makes one.")
        return found

    def installation_id(self) -> str | None:
        """The installation's id; None if it has none yet. Raises `Failure`."""
        if not self.installation.exists():
            return None
        return read_private(self.installation).decode("ascii", "replace").strip()

    def note_service(self, addresses: "ServiceAddresses") -> None:
        """Store the addresses of the service that has this directory open, for other commands."""
        replace_private(self.service, msgspec.json.encode(addresses) + b"\n")

    def service_addresses(self) -> "ServiceAddresses | None":
        """The addresses of the last service that had this directory open; None if unknown."""
        if not self.service.exists():
            return None
        try:
            return msgspec.json.decode(read_private(self.service), type=ServiceAddresses)
        except msgspec.MsgspecError as error:
            raise Failure(f"{self.service} cannot be read: {error}") from error


class ServiceAddresses(msgspec.Struct, frozen=True, rename="camel"):
    """The addresses of the service with the process id *pid*, for programs on its machine."""

    pid: int
    public_url: str
    operator_url: str
    listening: dict[str, tuple[str, ...]] = {}
    """The addresses that it listens at, by the key of the setting."""
    config_file: str | None = None
    """The configuration file that it has read."""


class SecretKey:
    """The secret from which the installation's other secrets are derived."""

    __slots__ = ("_key",)

    def __init__(self, key: bytes) -> None:
        self._key = key

    def derive(self, purpose: str) -> bytes:
        """A secret of 32 bytes for *purpose*. Neither the key nor other secrets can be derived from it.

        The key is uniformly random, so one HMAC is enough, as in the expansion step of HKDF (RFC 5869).
        """
        return hmac.digest(self._key, f"svc:{purpose}".encode(), "sha256")


def read_private(path: Path) -> bytes:
    """The content of a private file. Raises `Failure` if other users can read it, or if it cannot be read."""
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            content = file.read()
    except OSError as error:
        raise Failure(f"{path} cannot be read: {error.strerror}") from error
    if mode & _OTHERS:
        raise Failure(f"{path} can be read by others: run `chmod 600 {path}`, and ask who may have read it")
    return content
