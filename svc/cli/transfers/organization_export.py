"""The export of a whole organization: everything that belongs to it, in files that need no program.

It reads one snapshot of the data in a process of its own, beside the service if that is running, so nothing
waits for it. The directory appears whole or not at all: it is written beside, and renamed.
"""

import hashlib
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from tempfile import mkdtemp
from typing import BinaryIO, Final

import click
import msgspec
import trio
from sqlalchemy import Connection

from svc.cli.failures import Failure, as_failure
from svc.cli.operator_calls import Operator
from svc.cli.transfers.export_manifest import (
    ContentsEntry,
    ExportedMember,
    FileEntry,
    LeftOut,
    Manifest,
    UnreadableValues,
    readme,
)
from svc.clock import WallClock
from svc.domain.identity.organizations import Organization
from svc.domain.locale.times import rfc3339
from svc.storage.files.directory import all_kept, path_of
from svc.storage.organization_export import lines as export_lines
from svc.storage.organization_export.files import FILES, LEFT_OUT, ExportedFile
from svc.storage.organization_export.lines import Line, Unreadable
from svc.storage.private_files import create_private, open_private, sync
from svc.storage.store import StoreError
from svc.version import VERSION

FORMAT: Final = 1
"""Counts up when a file or a member gets another meaning."""
MANIFEST: Final = "manifest.json"
README: Final = "README.md"
UNREADABLE_MAX: Final = 100
"""Values that cannot be read that are named in the manifest; all are counted."""
_CONTENTS: Final = "contents"
_BUFFER_BYTES: Final = 1 << 16


def export_all(operator: Operator, organization_id: str | None, directory: Path) -> Manifest:
    """Export an organization into *directory*, and tell what was written. Raises `Failure`."""
    organization = operator.organization(organization_id)
    files = operator.directory.files
    # No content that the snapshot has is deleted before it was copied.
    kept = all_kept(files) if files.exists() else nullcontext()
    with as_failure(StoreError, OSError), kept, _appearing(directory) as staging:
        manifest = operator.read(_write, organization, staging, files)
    rows = sum(file.rows for file in manifest.files)
    click.echo(
        f"{directory} has {rows:,} rows of {organization.name} in {len(manifest.files)} files, and no secret;"
        f" {README} says how to read them",
        err=True,
    )
    if manifest.contents.missing:
        click.echo(
            f"{len(manifest.contents.missing):,} files have no content on the disk: `svc check` names them",
            err=True,
        )
    if manifest.unreadable.count:
        click.echo(
            f"{manifest.unreadable.count:,} values cannot be read and are null: see {MANIFEST}", err=True
        )
    return manifest


@contextmanager
def _appearing(directory: Path) -> Iterator[Path]:
    """A directory beside *directory* that gets its name at the end, if nothing has failed."""
    if directory.is_symlink() or (directory.exists() and not directory.is_dir()):
        raise Failure(f"{directory} is no directory: name another")
    if directory.exists() and any(directory.iterdir()):
        raise Failure(f"{directory} is not empty: name a new directory")
    parent = directory.absolute().parent
    parent.mkdir(parents=True, exist_ok=True)
    staging = Path(mkdtemp(prefix=".svc-export-", dir=parent))
    try:
        yield staging
        staging.replace(directory)
        sync(parent)
    except BaseException:
        _remove(staging)
        raise


def _remove(staging: Path) -> None:
    for path in sorted(staging.rglob("*"), reverse=True):
        if path.is_dir():
            path.rmdir()
        else:
            path.unlink(missing_ok=True)
    staging.rmdir()


class _Writer:
    """One file of the export while it is written."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        self._file: BinaryIO = open_private(path, _BUFFER_BYTES)
        self._digest = hashlib.sha256()
        self._bytes = self._rows = 0

    def add(self, line: bytes) -> None:
        """Append a line."""
        self._file.write(line)
        self._digest.update(line)
        self._bytes += len(line)
        self._rows += 1

    def end(self, path: str, about: str, members: Sequence[ExportedMember]) -> FileEntry:
        """Sync the file to the disk, and say what it has."""
        self._file.flush()
        os.fsync(self._file.fileno())
        return FileEntry(path, about, self._rows, self._bytes, self._digest.hexdigest(), tuple(members))

    def close(self) -> None:
        """Close it, written or not."""
        self._file.close()


def _write(conn: Connection, organization: Organization, staging: Path, files: Path) -> Manifest:
    """Write all files over one snapshot. Memory is bounded: a few rows, and one buffer a file."""
    now = trio.run(_now)
    written: list[FileEntry] = []
    count, examples = 0, list[Unreadable]()
    for file in FILES:
        of_members = _members_of(file)
        with ExitStack() as closing:
            writers: dict[str, _Writer] = {}
            for path in export_lines.paths(conn, file, organization.id):
                writers[path] = writer = _Writer(staging / path)
                closing.callback(writer.close)
            for line in export_lines.lines(conn, file, organization.id):
                writers[line.path].add(line.json + b"\n")
                count += len(line.unreadable)
                _note_examples(examples, line)
            written += [writer.end(path, file.about, of_members) for path, writer in writers.items()]
    manifest = Manifest(
        format=FORMAT,
        program=f"svc {VERSION}",
        exported_at=rfc3339(now),
        organization_id=organization.id,
        organization_name=organization.name,
        files=tuple(written),
        left_out=tuple(_left_out()),
        contents=_copy_contents(conn, organization.id, staging / _CONTENTS, files),
        unreadable=UnreadableValues(count, tuple(examples)),
    )
    pretty = msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"
    create_private(staging / MANIFEST, pretty)
    create_private(staging / README, readme(manifest).encode())
    for directory in (staging / "records", staging):
        sync(directory)
    return manifest


def _copy_contents(conn: Connection, organization_id: str, to: Path, files: Path) -> ContentsEntry:
    """Copy the content of each file that was not removed, each content once."""
    to.mkdir(mode=0o700)
    copied: set[str] = set()
    missing: list[str] = []
    size = 0
    for file_id, digest in export_lines.contents(conn, organization_id):
        if digest in copied:
            continue
        try:
            source = path_of(files, organization_id, digest).open("rb")
        except FileNotFoundError:
            missing.append(file_id)
            continue
        with source, open_private(to / digest) as written:
            shutil.copyfileobj(source, written)
            written.flush()
            os.fsync(written.fileno())
            size += written.tell()
        copied.add(digest)
    sync(to)
    return ContentsEntry(len(copied), size, tuple(missing))


def _note_examples(examples: list[Unreadable], line: Line) -> None:
    examples += line.unreadable[: max(0, UNREADABLE_MAX - len(examples))]


def _members_of(file: ExportedFile) -> list[ExportedMember]:
    members = [
        ExportedMember(name=member.name, type=member.type, about=member.about)
        for member in export_lines.members_of(file)
    ]
    named = {member.name for member in members}
    # What only some records have.
    more = [ExportedMember(name=name, type="JSON", about=about) for name, about in file.notes.items()]
    return members + [member for member in more if member.name not in named]


def _left_out() -> Iterator[LeftOut]:
    for file in FILES:
        for column, why in file.left_out.items():
            yield LeftOut(f"{column} of {file.name}", why)
    for table, why in LEFT_OUT.items():
        yield LeftOut(str(table), why)  # SQLAlchemy has a type of its own for names


async def _now() -> int:
    return WallClock().now()
