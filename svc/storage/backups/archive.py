"""A backup: the data, its key and its files, as one tar archive.

It has a consistent copy of the database, the secret key, and the contents that files in that copy have. No
content is deleted while a backup is made, so all of them are there. Without the key, stored hashes of
senders would match no one, and encrypted data could not be decrypted, so a backup without it would be
useless.

The data may be open in this process or in another one. Nothing here opens the database but by SQLite: to
close a file that was opened otherwise would drop the locks that this process has on it.
"""

import hashlib
import os
import shutil
import tarfile
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from svc.storage.backups import contents
from svc.storage.backups.digests import Members, check_written
from svc.storage.backups.failures import BackupFailed, Stopped, never, stop_if
from svc.storage.backups.originals import Originals
from svc.storage.files.archived import NeededContent, needed
from svc.storage.files.directory import all_kept
from svc.storage.private_files import create_private
from svc.storage.sqlite.offline import copy, verify

MIB: Final = 1024 * 1024
ROOM_LEFT_BYTES: Final = 64 * MIB
"""What a backup leaves free: the disk may be the one that the service writes to."""
COPIED_BYTES: Final = MIB
"""What is copied into the archive at once."""
SYNCED_BYTES: Final = 8 * MIB
"""What is written before it is synced, so that no commit beside it waits for the disk to write all of it."""


class Archive(NamedTuple):
    """A written archive, which is synced and not in its place yet."""

    path: Path
    size: int
    missing: tuple[str, ...]
    """The contents that the disk has lost, or has damaged: the archive is without them."""


def write(originals: Originals, staging: Path, stopped: Stopped = never) -> Archive:
    """Write an archive into *staging*, an empty directory, which takes the copy of the database as well.

    There may be a part of it after a failure.

    Raises:
        BackupFailed: there is too little room, or what was written is read back damaged.
        BackupStopped: it was stopped.
        StoreError: the data cannot be read, or is damaged.
        OSError: the disk failed.
    """
    copied, path = staging / originals.database.name, staging / "archive"
    check_room(staging, 2 * _size_of(originals.database))
    with all_kept(originals.files) if originals.files.exists() else nullcontext():
        copy(originals.database, copied, lambda: stop_if(stopped))
        verify(copied, stopped)
        wanted = needed(copied)
        check_room(staging, copied.stat().st_size + sum(content.size for content in wanted))
        create_private(path, b"")
        with path.open("wb") as file:
            missing = _write(file, originals, copied, wanted, stopped)
            os.fsync(file.fileno())
    stop_if(stopped)
    check_written(path)
    copied.unlink()
    return Archive(path, path.stat().st_size, tuple(missing))


def _write(
    file: BinaryIO, originals: Originals, copied: Path, wanted: list[NeededContent], stopped: Stopped
) -> list[str]:
    """Write all of it to *file*; the contents that are missing are returned."""
    missing = []
    steady = Steady(file, stopped)
    with tarfile.open(fileobj=steady, mode="w", copybufsize=COPIED_BYTES) as tar:  # type: ignore[call-overload]  # it writes, and nothing more
        members = Members(tar)
        for path in (copied, originals.secret_key):
            members.add(path, path.name)
        if wanted:
            missing = contents.write(members, originals.files, wanted)
        members.end(steady.written.hexdigest())
    file.flush()
    return missing


class Steady:
    """Writes to a file, syncs and hashes it, and ends by `BackupStopped` when it is to stop."""

    def __init__(self, file: BinaryIO, stopped: Stopped) -> None:
        self._file = file
        self._stopped = stopped
        self._unsynced = 0
        self.written = hashlib.sha256()

    def write(self, piece: bytes) -> int:
        stop_if(self._stopped)
        self.written.update(piece)
        self._unsynced += len(piece)
        if self._unsynced >= SYNCED_BYTES:
            self._unsynced = 0
            self._file.flush()
            os.fsync(self._file.fileno())
        return self._file.write(piece)

    def tell(self) -> int:
        return self._file.tell()


def lacking(missing: Sequence[str], files: Path) -> str:
    """What a sentence says of a backup whose contents are *missing*."""
    return (
        f"{len(missing)} files are missing or damaged in {files}, such as {missing[0]}: `svc check` names all"
        " that are missing"
    )


def check_room(staging: Path, needed_bytes: int) -> None:
    """Raise `BackupFailed` if the disk would be full, before it is: the service may write to it."""
    free = shutil.disk_usage(staging).free
    if free < needed_bytes + ROOM_LEFT_BYTES:
        raise BackupFailed(
            f"the disk of {staging.parent} is too full: {free // MIB} MiB are left, and a backup needs"
            f" {(needed_bytes + ROOM_LEFT_BYTES) // MIB + 1} MiB"
        )


def _size_of(database: Path) -> int:
    """How large a copy may be: what is in the log is not in the database yet."""
    found = (database, database.with_name(f"{database.name}-wal"))
    return sum(path.stat().st_size for path in found if path.exists())
