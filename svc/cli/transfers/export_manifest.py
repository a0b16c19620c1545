"""The manifest of an export, for programs, and its README, for people."""

from typing import Final

import msgspec

from svc.storage.organization_export import lines as export_lines
from svc.storage.organization_export.lines import Unreadable


class ExportedMember(msgspec.Struct, frozen=True, omit_defaults=True):
    """A member of the lines of a file."""

    name: str
    type: str
    about: str | None = None


class FileEntry(msgspec.Struct, frozen=True):
    """A file of the export."""

    path: str
    about: str
    rows: int
    bytes: int
    sha256: str
    members: tuple[ExportedMember, ...]


class LeftOut(msgspec.Struct, frozen=True):
    """What is not in the export, and why."""

    what: str
    why: str


class UnreadableValues(msgspec.Struct, frozen=True):
    """Values that cannot be read, for which the lines have null."""

    count: int
    examples: tuple[Unreadable, ...]


class ContentsEntry(msgspec.Struct, frozen=True):
    """The contents of files, each under its SHA-256."""

    count: int
    bytes: int
    missing: tuple[str, ...]
    """Ids of files whose contents are not on the disk, though they should be."""


class Manifest(msgspec.Struct, frozen=True, rename="camel"):
    """What an export has, for a program that reads it or makes sure of it."""

    format: int
    program: str
    exported_at: str
    organization_id: str
    organization_name: str
    files: tuple[FileEntry, ...]
    left_out: tuple[LeftOut, ...]
    contents: ContentsEntry
    unreadable: UnreadableValues


def readme(manifest: Manifest) -> str:
    """The README: each file, each member, and what is left out, in words."""
    files = "\n".join(f"| `{file.path}` | {file.rows:,} | {file.about} |" for file in manifest.files)
    about = {file.about: file for file in manifest.files}
    members = "\n\n".join(f"### {_title(file)}\n\n{_members_table(file)}" for file in about.values())
    left_out = "\n".join(f"| {one.what} | {one.why} |" for one in manifest.left_out)
    return _README.format(manifest=manifest, files=files, members=members, left_out=left_out)


def _title(file: FileEntry) -> str:
    return "records" if file.path.startswith("records/") or file.path == export_lines.DELETED else file.path


def _members_table(file: FileEntry) -> str:
    rows = "\n".join(f"| `{member.name}` | {member.type} | {member.about or ''} |" for member in file.members)
    return f"| member | type | |\n|---|---|---|\n{rows}"


_README: Final = """\
# {manifest.organization_name}

Everything that belonged to this organization ({manifest.organization_id}) on {manifest.exported_at}, all
of one moment. Nothing else is needed to read it.

Each file that ends with `.ndjson` has one JSON object a line, in UTF-8. Ids such as `rec_…` are the same in
all files, so that lines refer to each other; ids sort in the order in which they were made. Times are
RFC 3339, in UTC. `null` stands for no value. `manifest.json` has the number of lines and the SHA-256 of each
file, for programs. The contents of uploaded files are in `contents`, each under its SHA-256.

No password, no key and no other secret is in it. It has personal data of customers all the same: keep it
safe.

| file | lines | a line is |
|---|---|---|
{files}

## Members

{members}

## What is not in it

| what | why |
|---|---|
{left_out}
"""
