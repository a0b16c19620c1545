"""Rows of imports, and what is looked up of them."""

from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.domain.errors import NotFound
from svc.domain.imports.exported import FileFormat
from svc.domain.imports.faults import FaultGroup
from svc.domain.imports.imports import Counts, ImportState, Layout, ReadingSettings, Refusal
from svc.domain.imports.starters import Starter
from svc.domain.imports.undo import Undo, UndoState
from svc.domain.input.near_names import shown
from svc.domain.limits import LIST_ROWS
from svc.storage.imports import tables
from svc.storage.imports.tables import imports
from svc.storage.pages import Keyset
from svc.storage.rows import Rows
from svc.storage.statements import Statement


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
    next_part: int = 0
    layout: Layout | None = None
    settings: ReadingSettings | None = None
    starter: Starter | None = None
    source: dict[str, Any] | None = None
    run: int = 0
    at_byte: int = 0
    at_line: int = 0
    in_long_line: bool = False
    counts: Counts = msgspec.field(default_factory=Counts)
    refusals: list[Refusal] = []
    faults: list[FaultGroup] = []
    failure: str | None = None
    undo: Undo | None = None
    undo_state: UndoState | None = None
    created_at: int
    updated_at: int
    ended_at: int | None = None

    @property
    def is_open(self) -> bool:
        return self.ended_at is None

    @property
    def has_written(self) -> bool:
        """Whether lines were written, or were found to be there already."""
        is_dry = self.settings is None or self.settings.dry_run
        return not is_dry and self.counts.lines > self.counts.refused


_ENDED_MAX: Final = 100
"""Ended imports of one file that are looked at: dry runs too."""
IMPORTS: Final = Rows(imports, Import, nulls=["faults"])
_OF_ORGANIZATION: Final = IMPORTS.select(imports.c.organization_id == sa.bindparam("organization_id"))
_BY_ID: Final = IMPORTS.prepared(_OF_ORGANIZATION.where(imports.c.id == sa.bindparam("id")))
_LATEST: Final = IMPORTS.prepared(_OF_ORGANIZATION.order_by(imports.c.id.desc()).limit(1))
_OPEN: Final = IMPORTS.prepared(_OF_ORGANIZATION.where(imports.c.ended_at.is_(None)))
_ENDED: Final = IMPORTS.prepared(
    _OF_ORGANIZATION.where(
        imports.c.fingerprint == sa.bindparam("fingerprint"), imports.c.ended_at.is_not(None)
    )
    .order_by(imports.c.id.desc())
    .limit(_ENDED_MAX)
)
_UNDOING: Final = IMPORTS.prepared(
    _OF_ORGANIZATION.where(imports.c.undo_state == tables.RUNNING).order_by(imports.c.id).limit(1)
)
_RUNNING: Final = Statement(
    sa.select(imports.c.id).where(
        imports.c.organization_id == sa.bindparam("organization_id"), imports.c.state == tables.RUNNING
    ),
    str,
)


def find(conn: sa.Connection, organization_id: str, import_id: str) -> Import:
    """The import. Raises `NotFound`."""
    found = _BY_ID.one(conn, organization_id=organization_id, id=import_id)
    if found is None:
        raise NotFound(f"there is no import {shown(import_id)}")
    return found


def latest(conn: sa.Connection, organization_id: str) -> Import:
    """The organization's newest import. Raises `NotFound` if it never had one."""
    found = _LATEST.one(conn, organization_id=organization_id)
    if found is None:
        raise NotFound("there is no import yet")
    return found


def list_page(
    conn: sa.Connection, organization_id: str, cursor: str | None = None, limit: int = LIST_ROWS
) -> tuple[list[Import], str | None]:
    """A page of the organization's imports, the newest first, and the cursor of the next one.

    Raises `InvalidInput` for the cursor of another list.
    """
    page = Keyset(["imports", organization_id], cursor, limit)
    selected = IMPORTS.select(imports.c.organization_id == organization_id)
    rows, next_cursor = page.fetch(conn, selected, imports.c.id, newest_first=True)
    return [IMPORTS.make(row) for row in rows], next_cursor


def open_one(conn: sa.Connection, organization_id: str) -> Import | None:
    """The organization's import that has not ended, if there is one."""
    return _OPEN.one(conn, organization_id=organization_id)


def ended_of(conn: sa.Connection, organization_id: str, fingerprint: str) -> list[Import]:
    """The organization's last imports with that fingerprint that have ended, the newest first."""
    return _ENDED.all(conn, organization_id=organization_id, fingerprint=fingerprint)


def undone_one(conn: sa.Connection, organization_id: str) -> Import | None:
    """The organization's oldest import that is being taken back, if there is one."""
    return _UNDOING.one(conn, organization_id=organization_id)


def is_running(conn: sa.Connection, organization_id: str) -> bool:
    """Whether an import of the organization is being read, or taken back."""
    reading = _RUNNING.one(conn, organization_id=organization_id) is not None
    return reading or undone_one(conn, organization_id) is not None


def organizations_with_work(conn: sa.Connection) -> list[str]:
    """The organizations that have an import which is running, or is being taken back."""
    states = (imports.c.state, imports.c.undo_state)
    of_each = (sa.select(imports.c.organization_id).where(state == tables.RUNNING) for state in states)
    return list(conn.scalars(sa.union(*of_each)))
