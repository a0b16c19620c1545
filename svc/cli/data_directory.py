"""The data directory: the database, and the files beside it that nobody else may read."""

import hmac
import os
import secrets
import stat
from pathlib import Path
from typing import Final

import msgspec

from svc.cli.failures import Failure
from svc.settings import Secret

KEY_BYTES: Final = 32
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
_OWNER_ONLY: Final = 0o600
_OF_FILE_SYSTEMS: Final = frozenset({"lost+found", ".DS_Store"})
"""What is in a directory that was only just made, where it is a disk of its own or was looked at."""


class DataDirectory:
    """The directory at *path*, and what is in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.database = path / "svc.db"
        self.secret_key = path / "secret.key"
        self.operator_token = path / "operator.token"
        self.service = path / "service.json"
        self.demo = path / "demo.json"
        self.demo_environment = path / "demo.env"

    def make(self) -> None:
        """Make the directory, for its owner alone, unless it is there. Raises `Failure` when that fails."""
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        except FileExistsError:
            raise Failure(f"{self.path} is not a directory: name another with --data") from None
        except OSError as error:
            raise Failure(f"{self.path} cannot be made: {error.strerror}") from error
        if not os.access(self.path, os.R_OK | os.W_OK | os.X_OK):
            raise Failure(f"{self.path} is not writable for this user: change its owner, or name another")

    def has_data(self) -> bool:
        """Whether anything was written to the database; what a start that was cut off leaves may be empty."""
        database = self.database
        return any(
            path.exists() and path.stat().st_size > 0
            for path in (database, database.with_name(f"{database.name}-wal"))
        )

    def strangers(self) -> list[str]:
        """The names of what is in the directory and none of this program's, in their order."""
        if not self.path.is_dir():
            return []
        kept = (self.secret_key, self.operator_token, self.service, self.demo, self.demo_environment)
        ours = {
            *(one.name for one in kept),
            *(_draft(one).name for one in kept),
            *(f"{self.database.name}{suffix}" for suffix in ("", "-wal", "-shm", "-journal", ".lock")),
        }
        return sorted({one.name for one in self.path.iterdir()} - ours - _OF_FILE_SYSTEMS)

    def open_key(self) -> "SecretKey":
        """The key of this installation; made when there is neither a key nor data yet.

        Raises `Failure` when the key is not what it was, or others can read it.
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
        """The operator's token; made when there is none. Raises `Failure` when it cannot be used."""
        if not self.operator_token.exists():
            replace_private(self.operator_token, f"{secrets.token_urlsafe(KEY_BYTES)}\n".encode())
        try:
            return Secret(read_private(self.operator_token).decode().strip())
        except ValueError as error:
            raise Failure(
                f"{self.operator_token}: {error}. Remove the file, and the next start makes one."
            ) from error

    def note_service(self, addresses: "ServiceAddresses") -> None:
        """Write down where the service that has this directory open is reached."""
        replace_private(self.service, msgspec.json.encode(addresses) + b"\n")

    def service_addresses(self) -> "ServiceAddresses | None":
        """Where the service was reached that had this directory open last; None when that is not known."""
        if not self.service.exists():
            return None
        try:
            return msgspec.json.decode(read_private(self.service), type=ServiceAddresses)
        except msgspec.MsgspecError as error:
            raise Failure(f"{self.service} cannot be read: {error}") from error


class ServiceAddresses(msgspec.Struct, frozen=True, rename="camel"):
    """Where the service listens that is the process *pid*, for programs of its machine."""

    pid: int
    public_url: str
    operator_url: str


class SecretKey:
    """The one secret that this installation's other secrets are derived from."""

    __slots__ = ("_key",)

    def __init__(self, key: bytes) -> None:
        self._key = key

    def derive(self, purpose: str) -> bytes:
        """32 bytes for *purpose* alone: from one such secret neither the key nor another is found.

        The key is as random as it is long, so this is all that HKDF (RFC 5869) would add to it.
        """
        return hmac.digest(self._key, f"svc:{purpose}".encode(), "sha256")


def create_private(path: Path, content: bytes) -> None:
    """Write a new file at *path*, for its owner alone, to the disk."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    sync(path.parent)


def replace_private(path: Path, content: bytes) -> None:
    """As `create_private`, in the place of a file that may be there: it is the old one or the new, whole."""
    draft = _draft(path)
    draft.unlink(missing_ok=True)
    create_private(draft, content)
    draft.replace(path)
    sync(path.parent)


def _draft(path: Path) -> Path:
    return path.with_name(f".{path.name}.new")


def sync(directory: Path) -> None:
    """Have what was made, moved or removed in *directory* on the disk."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_private(path: Path) -> bytes:
    """The content of a file that only its owner may read. Raises `Failure` when others may as well."""
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            content = file.read()
    except OSError as error:
        raise Failure(f"{path} cannot be read: {error.strerror}") from error
    if mode & _OTHERS:
        raise Failure(f"{path} can be read by others: run `chmod 600 {path}`, and ask who may have read it")
    return content
