"""The backups that are kept in a directory: made under a name of their time, and the oldest removed.

A backup has its name only once it is complete, checked and on the disk. What a crash leaves is the part. All
names have the installation in them, so several may keep backups in one directory.
"""

import re
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from svc.domain.locale.times import SECOND_MS, moment_ms
from svc.storage.backups import archive
from svc.storage.backups.failures import BackupFailed, Stopped, never, stop_if
from svc.storage.backups.originals import Originals
from svc.storage.private_files import sync
from svc.storage.store import StoreError

_MOMENT: Final = "%Y%m%dT%H%M%SZ"
_PRIVATE: Final = 0o700


class Shelf(NamedTuple):
    """Where an installation keeps its backups."""

    directory: Path
    installation: str
    """Its id, in lower case."""

    @property
    def part(self) -> Path:
        """The directory in which a backup is made; one that a command makes beside it has another."""
        return self.directory / f".svc-backup-scheduled-{self.installation}"

    def name(self, at: int, *, complete: bool) -> str:
        """The name of the backup that was begun at that time."""
        moment = datetime.fromtimestamp(at // SECOND_MS, UTC).strftime(_MOMENT)
        return f"svc-{self.installation}-{moment}{'' if complete else '.incomplete'}.tar"


class Backup(msgspec.Struct, frozen=True, kw_only=True):
    """A backup by schedule."""

    name: str
    at: int
    """When it was begun, ms since the epoch."""
    size: int
    """In bytes."""
    complete: bool
    """Whether it has all files; one without is kept beside those that have them."""


class BackupResult(NamedTuple):
    """A new backup, and what became of the others."""

    backup: Backup
    missing: tuple[str, ...]
    """The contents of files that the disk has lost or damaged."""
    removed: int


def backups_in(shelf: Shelf) -> list[Backup]:
    """The installation's backups, the oldest first. Raises `OSError`."""
    ours = re.compile(rf"svc-{re.escape(shelf.installation)}-([0-9]{{8}}T[0-9]{{6}}Z)(\.incomplete)?\.tar")
    found = []
    for path in shelf.directory.iterdir():
        if (match := ours.fullmatch(path.name)) is None:
            continue
        try:
            moment = datetime.strptime(match[1], _MOMENT).replace(tzinfo=UTC)
            size = path.stat().st_size
        except (ValueError, FileNotFoundError):
            continue
        found.append(Backup(name=path.name, at=moment_ms(moment), size=size, complete=match[2] is None))
    return sorted(found, key=lambda one: one.at)


def newest(backups: list[Backup], now: int, *, complete: bool = False) -> Backup | None:
    """The newest that was made up to *now*: a later name is that of a clock that was ahead."""
    found = [one for one in backups if one.at <= now and (one.complete or not complete)]
    return found[-1] if found else None


def make_directory(directory: Path) -> None:
    """Create *directory* for its owner alone, if it is not there. Raises `OSError`.

    What is above it must be there: it may be a disk that is not mounted.
    """
    directory.mkdir(mode=_PRIVATE, exist_ok=True)


def make(originals: Originals, shelf: Shelf, now: int, keep: int, stopped: Stopped = never) -> BackupResult:
    """Make a backup, then remove the installation's oldest, so that *keep* are left.

    Raises `BackupFailed`, and `BackupStopped`; all earlier backups are there then.
    """
    directory, part = shelf.directory, shelf.part
    try:
        clear_part(shelf)
        part.mkdir(mode=_PRIVATE)
        try:
            written = archive.write(originals, part, stopped)
            name = shelf.name(now, complete=not written.missing)
            written.path.replace(directory / name)
            sync(directory)
        finally:
            shutil.rmtree(part, ignore_errors=True)
        backup = Backup(name=name, at=now, size=written.size, complete=not written.missing)
        return BackupResult(backup, written.missing, _remove_oldest(shelf, backup, keep))
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        raise BackupFailed(f"{place}{error.strerror or error}") from error
    except StoreError as error:
        stop_if(stopped)  # a check of the copy that was stopped looks like data that cannot be read
        raise BackupFailed(str(error)) from error


def clear_part(shelf: Shelf) -> None:
    """Remove what a backup that was broken off has left. Raises `OSError`."""
    if shelf.part.exists():
        shutil.rmtree(shelf.part)


def _remove_oldest(shelf: Shelf, made: Backup, keep: int) -> int:
    """Remove what is beyond *keep*. Of a clock that was ahead, names are no sign of a newer backup.

    An incomplete backup takes the place of incomplete ones alone: a complete one may have the only copy of a
    file that the disk has lost.
    """
    others = [one for one in backups_in(shelf) if one.name != made.name]
    by_age = sorted(others, key=lambda one: (one.at <= made.at, one.at))
    if made.complete:
        superfluous = by_age[: max(0, len(by_age) - (keep - 1))]
    else:
        superfluous = [one for one in by_age if not one.complete]
    for one in superfluous:
        (shelf.directory / one.name).unlink(missing_ok=True)
    return len(superfluous)
