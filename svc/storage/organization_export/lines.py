"""The lines of an export, read as a stream."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple, assert_never

import msgspec
import sqlalchemy as sa

from svc.domain.locale.times import rfc3339
from svc.storage.files import tables as files_tables
from svc.storage.identity import tables as identity_tables
from svc.storage.organization_export.files import ExportedFile, member_name
from svc.storage.records import tables as records_tables
from svc.storage.schema import facts_of
from svc.storage.sql.expressions import Utf8

ENDING: Final = ".ndjson"
DELETED: Final = f"deleted_records{ENDING}"
FETCHED_ROWS: Final = 1_000
"""Rows that are in memory at once."""

MemberType = Literal["text", "number", "boolean", "time", "JSON"]

_encode: Final = msgspec.json.Encoder().encode
_members = identity_tables.members
_people = identity_tables.people
_records = records_tables.records


class Member(NamedTuple):
    """A member of the lines of a file."""

    name: str
    type: MemberType
    about: str | None
    column: "sa.Column[Any]"


class Unreadable(NamedTuple):
    """A value that cannot be read, because a disk or a person's SQL has damaged it."""

    file: str
    key: str
    member: str


class Line(NamedTuple):
    """A line of a file, by its path in the export."""

    path: str
    json: bytes
    unreadable: tuple[Unreadable, ...]


def members_of(file: ExportedFile) -> tuple[Member, ...]:
    """The members of each line of *file*, in their order."""
    columns: list[sa.Column[Any]] = [
        column
        for column in file.table.columns
        if column.name not in file.left_out and column.name != "organization_id"
    ]
    if file.table is _members:
        columns[1:1] = [_people.c.email, _people.c.name]
    return tuple(
        Member(name := member_name(column.name), _type_of(column), file.notes.get(name), column)
        for column in columns
    )


def lines(conn: sa.Connection, file: ExportedFile, organization_id: str) -> Iterator[Line]:
    """The lines of one file, in the order of the rows' keys; of records, those of several files."""
    if file.table is _records:
        yield from _records_of(conn, organization_id)
        return
    members = members_of(file)
    path = f"{file.name}{ENDING}"
    rows = conn.execute(_select(file, members, organization_id))
    for row in rows:
        faults: list[Unreadable] = []
        values = _values(path, members, row, faults)
        yield Line(path, _encode(values), tuple(faults))


def paths(conn: sa.Connection, file: ExportedFile, organization_id: str) -> list[str]:
    """The paths of all files that *file* stands for, also where they have no line."""
    if file.table is not _records:
        return [f"{file.name}{ENDING}"]
    return [*(_path_of(slug) for slug in _shapes(conn, organization_id).slugs), DELETED]


def contents(conn: sa.Connection, organization_id: str) -> Iterator[tuple[str, str]]:
    """The id and the digest of each file that was not removed."""
    files = files_tables.files.c
    rows = conn.execute(
        sa.select(files.id, files.digest)
        .where(
            files.organization_id == organization_id, files.removed_at.is_(None), files.digest.is_not(None)
        )
        .order_by(files.id)
        .execution_options(yield_per=FETCHED_ROWS)
    )
    for row in rows:
        yield row.id, row.digest


def _select(file: ExportedFile, members: tuple[Member, ...], organization_id: str) -> sa.Select[Any]:
    table = file.table
    select = sa.select(*(_as_stored(member.column) for member in members))
    if table is _members:
        select = select.join(_people, _people.c.id == _members.c.person_id)
    if file.through is not None:
        [key] = file.through.foreign_keys
        parent = key.column.table
        select = select.join(parent, key.column == file.through)
        owner = parent.c.organization_id
    else:
        owner = table.c.id if table is identity_tables.organizations else table.c.organization_id
    # Without a primary key, a table has a unique index over all of its columns.
    order = list(table.primary_key.columns) or list(table.columns)
    return select.where(owner == organization_id).order_by(*order).execution_options(yield_per=FETCHED_ROWS)


def _as_stored(column: "sa.Column[Any]") -> sa.ColumnElement[Any]:
    """*column*, a text as bytes: one that is no UTF-8 would fail the whole query."""
    if isinstance(column.type, sa.Text):
        return Utf8(column).label(column.name)
    return column


def _values(
    path: str, members: tuple[Member, ...], row: sa.Row[Any], faults: list[Unreadable]
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for member, stored in zip(members, row, strict=True):
        try:
            values[member.name] = _value(member, stored)
        except (UnicodeDecodeError, msgspec.DecodeError):
            values[member.name] = None
            faults.append(Unreadable(path, _key(row), member.name))
    return values


def _value(member: Member, stored: Any) -> Any:
    if stored is None:
        return None
    match member.type:
        case "time":
            return rfc3339(stored)
        case "JSON":
            return msgspec.json.decode(stored)
        case "text":
            return bytes(stored).decode()
        case "number" | "boolean":
            return stored
        case _:
            assert_never(member.type)


class _Shapes(NamedTuple):
    """What is needed of the objects to show their records."""

    slugs: list[str]
    by_object: Mapping[str, tuple[str, frozenset[str]]]
    """By an object's id: its slug, and the slugs of its properties that are not deleted."""


def _shapes(conn: sa.Connection, organization_id: str) -> _Shapes:
    objects, properties = records_tables.objects, records_tables.properties
    slugs = {
        row.id: row.slug
        for row in conn.execute(
            sa.select(objects.c.id, objects.c.slug)
            .where(objects.c.organization_id == organization_id)
            .order_by(objects.c.slug)
        )
    }
    live: dict[str, set[str]] = {object_id: set() for object_id in slugs}
    for row in conn.execute(
        sa.select(properties.c.object_id, properties.c.slug, properties.c.type).where(
            properties.c.organization_id == organization_id, properties.c.deleted_at.is_(None)
        )
    ):
        live[row.object_id].add(row.slug)
        if row.type == "amount":
            live[row.object_id].add(f"{row.slug}_currency")
    return _Shapes(list(slugs.values()), {one: (slug, frozenset(live[one])) for one, slug in slugs.items()})


def _records_of(conn: sa.Connection, organization_id: str) -> Iterator[Line]:
    shapes = _shapes(conn, organization_id).by_object
    rows = conn.execute(
        sa.select(
            _records.c.id,
            _records.c.object_id,
            _as_stored(_records.c.properties),
            _records.c.version,
            _records.c.created_at,
            _records.c.updated_at,
            _records.c.deleted_at,
            _records.c.merged_into,
        )
        .where(_records.c.organization_id == organization_id)
        .order_by(_records.c.id)
        .execution_options(yield_per=FETCHED_ROWS)
    )
    for row in rows:
        slug, live = shapes[row.object_id]
        path = _path_of(slug) if row.deleted_at is None else DELETED
        faults: tuple[Unreadable, ...] = ()
        try:
            stored = msgspec.json.decode(row.properties, type=dict[str, Any])
        except msgspec.DecodeError:
            stored, faults = {}, (Unreadable(path, row.id, "properties"),)
        line: dict[str, Any] = {
            "id": row.id,
            "objectType": slug,
            "version": row.version,
            "properties": {name: value for name, value in stored.items() if name in live},
            "createdAt": rfc3339(row.created_at),
            "updatedAt": rfc3339(row.updated_at),
        }
        if hidden := {name: value for name, value in stored.items() if name not in live}:
            line["hidden"] = hidden
        if row.deleted_at is not None:
            line |= {"deletedAt": rfc3339(row.deleted_at), "mergedInto": row.merged_into}
        yield Line(path, _encode(line), faults)


def _path_of(slug: str) -> str:
    return f"records/{slug}{ENDING}"


def _key(row: sa.Row[Any]) -> str:
    """The first column of a row, which tells it from others where it has an id."""
    first = row[0]
    return first.decode(errors="replace") if isinstance(first, bytes) else str(first)


def _type_of(column: "sa.Column[Any]") -> MemberType:
    facts = facts_of(column)
    if facts.json is not None:
        return "JSON"
    if isinstance(column.type, sa.Boolean):
        return "boolean"
    if isinstance(column.type, sa.Text):
        return "text"
    if facts.ahead is not None:
        return "time"
    return "number"
