"""Rows of imports, and what is looked up of them."""

from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.errors import NotFound
from svc.domain.identity.callers import CallerKind
from svc.domain.imports.exported import FileFormat
from svc.domain.imports.imports import Counts, ImportState, Layout, ReadingSettings, Refusal
from svc.domain.limits import LIST_ROWS
from svc.domain.near_names import shown
from svc.storage.imports import tables
from svc.storage.imports.tables import imports
from svc.storage.pages import Keyset
from svc.storage.statements import Statement


class Starter(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """In whose name an import writes, which is judged again at each batch."""

    kind: CallerKind
    id: str
    person_id: str | None
    role_id: str | None = None


class ImportRow(NamedTuple):
    """An import's row."""

    id: str
    organization_id: str
    object_type: str
    name: str
    format: FileFormat
    fingerprint: str | None
    state: ImportState
    bytes: int
    next_part: int
    layout: str | None
    settings: str | None
    starter: str | None
    source: str | None
    run: int
    at_byte: int
    at_line: int
    in_long_line: bool
    counts: str
    refusals: str
    failure: str | None
    created_at: int
    updated_at: int
    ended_at: int | None


class Import(msgspec.Struct, kw_only=True):
    """An import as it stands. Times are ms since the epoch."""

    id: str
    organization_id: str
    object_type: str
    name: str
    format: FileFormat
    fingerprint: str | None
    state: ImportState
    bytes: int
    next_part: int
    layout: Layout | None
    settings: ReadingSettings | None
    starter: Starter | None
    source: dict[str, Any] | None
    run: int
    at_byte: int
    at_line: int
    in_long_line: bool
    counts: Counts
    refusals: list[Refusal]
    failure: str | None
    created_at: int
    updated_at: int
    ended_at: int | None

    @property
    def is_open(self) -> bool:
        return self.ended_at is None


_SELECT: Final = sa.select(*(imports.c[name] for name in ImportRow._fields))
_BY_ID: Final = Statement(
    _SELECT.where(
        imports.c.organization_id == sa.bindparam("organization_id"), imports.c.id == sa.bindparam("id")
    ),
    ImportRow,
)
_LATEST: Final = Statement(
    _SELECT.where(imports.c.organization_id == sa.bindparam("organization_id"))
    .order_by(imports.c.id.desc())
    .limit(1),
    ImportRow,
)
_OPEN: Final = Statement(
    _SELECT.where(imports.c.organization_id == sa.bindparam("organization_id"), imports.c.ended_at.is_(None)),
    ImportRow,
)
_UPDATE: Final = Statement(
    sa.update(imports)
    .where(imports.c.id == sa.bindparam("import_id"))
    .values({name: sa.bindparam(f"new_{name}") for name in ImportRow._fields if name != "id"})
)
_INSERT: Final = Statement(sa.insert(imports))

_layout: Final = msgspec.json.Decoder(Layout)
_settings: Final = msgspec.json.Decoder(ReadingSettings)
_starter: Final = msgspec.json.Decoder(Starter)
_source: Final = msgspec.json.Decoder(dict[str, Any])
_counts: Final = msgspec.json.Decoder(Counts)
_refusals: Final = msgspec.json.Decoder(list[Refusal])
_JSON: Final = ("layout", "settings", "starter", "source", "counts", "refusals")


def find(conn: sa.Connection, organization_id: str, import_id: str) -> Import:
    """The import. Raises `NotFound`."""
    row = _BY_ID.one(conn, organization_id=organization_id, id=import_id)
    if row is None:
        raise NotFound(f"there is no import {shown(import_id)}")
    return _from_row(row)


def latest(conn: sa.Connection, organization_id: str) -> Import:
    """The organization's newest import. Raises `NotFound` if it never had one."""
    row = _LATEST.one(conn, organization_id=organization_id)
    if row is None:
        raise NotFound("there is no import yet")
    return _from_row(row)


def list_page(
    conn: sa.Connection, organization_id: str, cursor: str | None = None, limit: int = LIST_ROWS
) -> tuple[list[Import], str | None]:
    """A page of the organization's imports, the newest first, and the cursor of the next one.

    Raises `InvalidInput` for the cursor of another list.
    """
    page = Keyset(["imports", organization_id], cursor, limit)
    selected = _SELECT.where(imports.c.organization_id == organization_id)
    rows, next_cursor = page.fetch(conn, selected, imports.c.id, newest_first=True)
    return [_from_row(ImportRow(*row)) for row in rows], next_cursor


def open_one(conn: sa.Connection, organization_id: str) -> Import | None:
    """The organization's import that has not ended, if there is one."""
    row = _OPEN.one(conn, organization_id=organization_id)
    return None if row is None else _from_row(row)


def insert(conn: sa.Connection, new: Import) -> None:
    """Store a new import."""
    _INSERT.run(conn, _values(new))


def update(conn: sa.Connection, changed: Import) -> None:
    """Store a changed import."""
    values = _values(changed)
    import_id = values.pop("id")
    _UPDATE.run(conn, {"import_id": import_id} | {f"new_{name}": value for name, value in values.items()})


def organizations_with_work(conn: sa.Connection) -> list[str]:
    """The organizations that have an import which is running."""
    return list(conn.scalars(sa.select(imports.c.organization_id).where(imports.c.state == tables.RUNNING)))


def _from_row(row: ImportRow) -> Import:
    return Import(
        **row._asdict()
        | {
            "layout": None if row.layout is None else _layout.decode(row.layout),
            "settings": None if row.settings is None else _settings.decode(row.settings),
            "starter": None if row.starter is None else _starter.decode(row.starter),
            "source": None if row.source is None else _source.decode(row.source),
            "counts": _counts.decode(row.counts),
            "refusals": _refusals.decode(row.refusals),
            "in_long_line": bool(row.in_long_line),
        }
    )


def _values(import_: Import) -> dict[str, Any]:
    values = msgspec.structs.asdict(import_)
    for name in _JSON:
        if values[name] is not None:
            values[name] = msgspec.json.encode(values[name]).decode()
    return values
