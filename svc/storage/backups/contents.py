"""The contents of files in a backup: written beside the data, and read back with their hashes checked."""

import hashlib
import os
import tarfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

from svc.storage.backups.digests import PIECE_BYTES, Members
from svc.storage.backups.failures import BackupFailed
from svc.storage.files.archived import NeededContent, needed
from svc.storage.files.directory import path_of
from svc.storage.private_files import open_private

FOLDER: Final = "files"
END: Final = "files.json"
"""The last member of a backup with files: a backup without it is cut off, even where no file of it is."""


class FilesEnd(msgspec.Struct, frozen=True):
    """What `END` says."""

    missing: tuple[str, ...]
    """The members that should be there, and were not in the data directory, or were damaged there."""


def write(members: Members, files: Path, wanted: Iterable[NeededContent]) -> list[str]:
    """Add the *wanted* contents below *files* to the archive; those that are missing or damaged are returned.

    A damaged one is in the archive all the same, and nothing reads it: its hash is known only after it.
    """
    missing = []
    for content in wanted:
        path = path_of(files, content.organization_id, content.digest)
        name = _member(content)
        is_there = path.is_file() and path.stat().st_size == content.size
        if not (is_there and members.add(path, name) == content.digest):
            missing.append(name)
    members.add_bytes(END, msgspec.json.encode(FilesEnd(tuple(missing))))
    return missing


def read(tar: tarfile.TarFile, database: Path, files: Path) -> list[str]:
    """Take the contents that the *database* needs out of the archive; the missing ones are returned.

    Raises `KeyError` for an archive that is cut off, and `BackupFailed` for a content with another hash.
    """
    wanted = needed(database)
    if not wanted:
        return []
    end = tar.extractfile(END)
    if end is None:
        raise KeyError(END)
    missing = set(msgspec.json.decode(end.read(), type=FilesEnd).missing)
    for content in wanted:
        name = _member(content)
        if name not in missing:
            _extract(tar, name, path_of(files, content.organization_id, content.digest), content)
    return sorted(missing)


def _member(content: NeededContent) -> str:
    return str(path_of(Path(FOLDER), content.organization_id, content.digest))


def _extract(tar: tarfile.TarFile, name: str, to: Path, content: NeededContent) -> None:
    member = tar.extractfile(name)
    if member is None:
        raise KeyError(name)
    to.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = hashlib.sha256()
    with open_private(to) as written:
        while piece := member.read(PIECE_BYTES):
            found.update(piece)
            written.write(piece)
        written.flush()
        os.fsync(written.fileno())
    if found.hexdigest() != content.digest:
        raise BackupFailed(f"{name} in the backup is damaged: its hash is another than its name says")
