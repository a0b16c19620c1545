"""The contents of files in a backup: written beside the data, and read back with their hashes checked."""

import hashlib
import io
import os
import tarfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

import msgspec

from svc.cli.data_directory import DataDirectory
from svc.cli.failures import Failure
from svc.storage.files.archived import NeededContent, needed
from svc.storage.files.directory import path_of

FOLDER: Final = "files"
END: Final = "files.json"
"""The last member of a backup with files: a backup without it is cut off, even where no file of it is."""
_PIECE_BYTES: Final = 1024 * 1024
_PRIVATE: Final = 0o600


class FilesEnd(msgspec.Struct, frozen=True):
    """What `END` says."""

    missing: tuple[str, ...]
    """The members that should be there, and were not in the data directory."""


def write(
    tar: tarfile.TarFile,
    directory: DataDirectory,
    contents: Iterable[NeededContent],
    anonymous: Callable[[tarfile.TarInfo], tarfile.TarInfo],
) -> list[str]:
    """Add *contents* of the directory's files to the archive; those that are missing are returned."""
    missing = []
    for content in contents:
        name = _member(content)
        path = path_of(directory.files, content.organization_id, content.digest)
        if path.is_file() and path.stat().st_size == content.size:
            tar.add(path, name, recursive=False, filter=anonymous)
        else:
            missing.append(name)
    _add_end(tar, FilesEnd(tuple(missing)), anonymous)
    return missing


def read(tar: tarfile.TarFile, restored: DataDirectory) -> list[str]:
    """Take the contents that the *restored* database needs out of the archive; the missing ones are returned.

    Raises `KeyError` for an archive that is cut off, and `Failure` for a content with another hash.
    """
    contents = needed(restored.database)
    if not contents:
        return []
    end = tar.extractfile(END)
    if end is None:
        raise KeyError(END)
    missing = set(msgspec.json.decode(end.read(), type=FilesEnd).missing)
    for content in contents:
        name = _member(content)
        if name not in missing:
            _extract(tar, name, path_of(restored.files, content.organization_id, content.digest), content)
    return sorted(missing)


def _member(content: NeededContent) -> str:
    return str(path_of(Path(FOLDER), content.organization_id, content.digest))


def _add_end(
    tar: tarfile.TarFile, end: FilesEnd, anonymous: Callable[[tarfile.TarInfo], tarfile.TarInfo]
) -> None:
    body = msgspec.json.encode(end)
    member = tarfile.TarInfo(END)
    member.size = len(body)
    tar.addfile(anonymous(member), io.BytesIO(body))


def _extract(tar: tarfile.TarFile, name: str, to: Path, content: NeededContent) -> None:
    member = tar.extractfile(name)
    if member is None:
        raise KeyError(name)
    to.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = hashlib.sha256()
    with os.fdopen(os.open(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE), "wb") as written:
        while piece := member.read(_PIECE_BYTES):
            found.update(piece)
            written.write(piece)
        written.flush()
        os.fsync(written.fileno())
    if found.hexdigest() != content.digest:
        raise Failure(f"{name} in the backup is damaged: its hash is another than its name says")
