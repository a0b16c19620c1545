"""The backup of an installation whose data is in a PostgreSQL database: all of it that is not in there.

It has the secret key, the file of settings if there is one, and the contents of files, as one tar archive.
What the database has, its own programs back up: whoever runs them first and makes this archive after them
has every content that their copy knows, but for what was removed meanwhile.
"""

import os
import re
import tarfile
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final, NamedTuple

import msgspec

from svc.storage.backups.archive import COPIED_BYTES, Steady, check_room
from svc.storage.backups.digests import PIECE_BYTES, SUMS, Members, check_written, opened, reading
from svc.storage.backups.failures import BackupFailed, never
from svc.storage.files.directory import all_kept, digests_in, organizations_in, path_of
from svc.storage.private_files import create_private, open_private

NOTE: Final = "database.json"
"""The first member: a backup without it has its data, or none."""
SETTINGS: Final = "svc.toml"
FOLDER: Final = PurePosixPath("files")
_CONTENT: Final = re.compile(r"files/[A-Za-z0-9_]+/[0-9a-f]+/[0-9a-f]+")


class BesideDatabase(NamedTuple):
    """What an installation has beside its database."""

    secret_key: Path
    files: Path
    settings: Path | None = None


class Note(msgspec.Struct, frozen=True):
    """What `NOTE` says: where the data is, without what lets in."""

    database: str


class BesideArchive(NamedTuple):
    """A written archive, which is synced and not in its place yet."""

    path: Path
    contents: int
    """How many contents of files it has."""
    damaged: tuple[str, ...]
    """Contents that are not as they were written: they are in it all the same."""


def write(originals: BesideDatabase, note: Note, staging: Path) -> BesideArchive:
    """Write an archive into *staging*, an empty directory.

    Raises `BackupFailed` where there is too little room, or what was written is read back damaged; `OSError`.
    """
    path = staging / "archive"
    with all_kept(originals.files) if originals.files.exists() else nullcontext():
        contents = [*_contents(originals.files)]
        check_room(staging, sum(content.stat().st_size for content in contents))
        create_private(path, b"")
        with path.open("wb") as file:
            damaged = _write(file, originals, note, contents)
            file.flush()
            os.fsync(file.fileno())
    check_written(path)
    return BesideArchive(path, len(contents), tuple(damaged))


def note_of(file: Path) -> Note | None:
    """The note of the backup *file*; None for one that has its data. Raises `BackupFailed` and `OSError`."""
    with file.open("rb") as archive, reading(file), opened(archive) as tar:
        try:
            member = tar.extractfile(NOTE)
        except KeyError:
            return None
        return None if member is None else msgspec.json.decode(member.read(), type=Note)


def read(file: Path, to: BesideDatabase) -> None:
    """Extract all of the backup *file*, whose digests were checked. Raises `BackupFailed` and `OSError`."""
    with file.open("rb") as archive, reading(file), opened(archive) as tar:
        for member in tar:
            content = tar.extractfile(member)
            place = _place(member.name, to)
            if content is None:
                raise KeyError(member.name)
            if place is not None:
                place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                with open_private(place) as written:
                    while piece := content.read(PIECE_BYTES):
                        written.write(piece)
                    written.flush()
                    os.fsync(written.fileno())
    if not to.secret_key.exists():
        raise BackupFailed(f"{file} has no secret key")


def _contents(files: Path) -> Iterator[Path]:
    """All contents of files on the disk, in order."""
    for organization_id in organizations_in(files):
        for digest in digests_in(files, organization_id):
            yield path_of(files, organization_id, digest)


def _write(file: BinaryIO, originals: BesideDatabase, note: Note, contents: list[Path]) -> list[str]:
    """Write all of it to *file*; the contents that are damaged are returned."""
    steady, damaged = Steady(file, never), []
    with tarfile.open(fileobj=steady, mode="w", copybufsize=COPIED_BYTES) as tar:  # type: ignore[call-overload]  # it writes, and nothing more
        members = Members(tar)
        members.add_bytes(NOTE, msgspec.json.encode(note))
        members.add(originals.secret_key, originals.secret_key.name)
        if originals.settings is not None:
            members.add(originals.settings, SETTINGS)
        for content in contents:
            name = str(FOLDER / content.relative_to(originals.files))
            if members.add(content, name) != content.parent.name + content.name:
                damaged.append(name)
        members.end(steady.written.hexdigest())
    return damaged


def _place(name: str, to: BesideDatabase) -> Path | None:
    """Where the member *name* belongs; None for one that stays. Raises `KeyError` for one of no backup."""
    if name in {NOTE, SUMS}:
        return None
    if name == to.secret_key.name:
        return to.secret_key
    if name == SETTINGS:
        return to.settings
    if _CONTENT.fullmatch(name):
        return to.files / PurePosixPath(name).relative_to(FOLDER)
    raise KeyError(name)
