"""Rows of exports, and what is looked up of them."""

from collections.abc import Callable
from typing import Final

import msgspec
import sqlalchemy as sa

from svc.domain.errors import NotFound
from svc.domain.exports.exports import ExportQuery, ExportSource, ExportState
from svc.domain.imports.exported import FileFormat
from svc.domain.imports.starters import Starter
from svc.domain.input.near_names import shown
from svc.domain.limits import LIST_ROWS
from svc.storage.exports.tables import exports
from svc.storage.pages import Keyset
from svc.storage.readable import each
from svc.storage.rows import Rows
from svc.storage.statements import Statement


class Export(msgspec.Struct, kw_only=True):
    """An export as it stands. Times are ms since the epoch."""

    id: str
    organization_id: str
    source: ExportSource
    object_type: str | None
    format: FileFormat
    query: ExportQuery
    starter: Starter
    state: ExportState = "waiting"
    attempts: int = 0
    rows: int = 0
    bytes: int = 0
    digest: str | None = None
    failure: str | None = None
    created_at: int
    updated_at: int
    ended_at: int | None = None

    @property
    def is_open(self) -> bool:
        return self.ended_at is None


EXPORTS: Final = Rows(exports, Export)
_OF_ORGANIZATION: Final = EXPORTS.select(exports.c.organization_id == sa.bindparam("organization_id"))
_BY_ID: Final = EXPORTS.prepared(_OF_ORGANIZATION.where(exports.c.id == sa.bindparam("id")))
_OPEN: Final = EXPORTS.prepared(_OF_ORGANIZATION.where(exports.c.ended_at.is_(None)).order_by(exports.c.id))
_DIGESTS: Final = Statement(
    sa.select(exports.c.digest).where(
        exports.c.organization_id == sa.bindparam("organization_id"), exports.c.digest.is_not(None)
    ),
    str,
)


def find(conn: sa.Connection, organization_id: str, export_id: str) -> Export:
    """The export. Raises `NotFound`."""
    found = _BY_ID.one(conn, organization_id=organization_id, id=export_id)
    if found is None:
        raise NotFound(f"there is no export {shown(export_id)}")
    return found


def list_page(
    conn: sa.Connection,
    organization_id: str,
    may_see: Callable[[Export], bool],
    cursor: str | None = None,
    limit: int = LIST_ROWS,
) -> tuple[list[Export], str | None]:
    """A page of the organization's exports that *may_see* holds for, the newest first, and the cursor.

    A page may be short, and still have a cursor. Raises `InvalidInput` for the cursor of another list.
    """
    page = Keyset(["exports", organization_id], cursor, limit)
    selected = EXPORTS.select(exports.c.organization_id == organization_id)
    rows, next_cursor = page.fetch(conn, selected, exports.c.id, newest_first=True)
    return [one for one in each(rows, EXPORTS.make, "exports") if may_see(one)], next_cursor


def open_ones(conn: sa.Connection, organization_id: str) -> list[Export]:
    """The organization's exports that have not ended, the oldest first."""
    return _OPEN.all(conn, organization_id=organization_id)


def digests(conn: sa.Connection, organization_id: str) -> set[str]:
    """The files that the organization's exports have."""
    return set(_DIGESTS.all(conn, organization_id=organization_id))


def organizations_with_work(conn: sa.Connection) -> list[str]:
    """The organizations that have an export which has not ended."""
    return list(
        conn.scalars(sa.select(exports.c.organization_id).where(exports.c.ended_at.is_(None)).distinct())
    )
