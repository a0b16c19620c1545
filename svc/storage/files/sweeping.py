"""Sweeping: units of work that remove files which nothing uses, and let go of contents.

A file goes in three steps, each of which is found again after a crash: its row is marked as removed, its
content is deleted from the disk, and then the row lets go of it. A row that something still uses stays.
"""

from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

import sqlalchemy as sa

from svc.domain.files.limits import FILE_UNUSED_LIFE_MS, FILES_SWEPT_MAX
from svc.storage.files import files, tables
from svc.storage.files.files import FILES, mark_removed
from svc.storage.statements import Statement
from svc.storage.store import Tx


class RemovedFile(NamedTuple):
    """A removed file whose content may still be on the disk."""

    id: str
    organization_id: str
    digest: str


_columns: Final = tables.files.c
_uses: Final = tables.file_uses.c
_IS_USED: Final = sa.select(_uses.file_id).where(_uses.file_id == _columns.id).exists()
_MAY_BE_UNUSED: Final = (_columns.unused_at.is_not(None), _columns.unused_at <= sa.bindparam("until"))
_UNUSED = Statement(
    sa.select(_columns.organization_id, _columns.id)
    .where(*_MAY_BE_UNUSED)
    .order_by(_columns.unused_at)
    .limit(FILES_SWEPT_MAX)
)
_OF_THESE = Statement(
    sa.select(
        *FILES.columns,
        _columns.unused_at,
        _columns.removed_at,
        _IS_USED.label("used"),
    )
    .where(
        _columns.id.in_(sa.bindparam("ids", expanding=True)),
        _columns.organization_id == sa.bindparam("of_organization"),
        *_MAY_BE_UNUSED,
    )
    .order_by(_columns.unused_at)
)
_REMOVED = Statement(
    sa.select(*(_columns[name] for name in RemovedFile._fields))
    .where(
        _columns.removed_at.is_not(None), _columns.digest.is_not(None), _columns.id > sa.bindparam("after")
    )
    .order_by(_columns.id)
    .limit(sa.bindparam("most", type_=sa.Integer)),
    RemovedFile,
)
_OF_CONTENT = Statement(
    sa.select(_columns.id).where(
        _columns.organization_id == sa.bindparam("organization_id"),
        _columns.digest == sa.bindparam("digest"),
        _columns.removed_at.is_(None),
    ),
    str,
)


def unused(conn: sa.Connection, now: int) -> dict[str, list[str]]:
    """A few files that may be unused, by the id of their organization; none once all were looked at."""
    found: dict[str, list[str]] = {}
    for row in _UNUSED.all(conn, until=now - FILE_UNUSED_LIFE_MS):
        found.setdefault(row.organization_id, []).append(row.id)
    return found


def sweep_unused(tx: Tx, organization_id: str, file_ids: Collection[str]) -> None:
    """Look at files of an organization that may be unused, and remove those that were so too long.

    What uses a file is the organization's as well, so none is taken into use while this runs.
    """
    rows = _OF_THESE.all(
        tx.conn, ids=file_ids, of_organization=organization_id, until=tx.now - FILE_UNUSED_LIFE_MS
    )
    over = [row for row in rows if not row.used and row.removed_at is None and row.unused_at]
    new = [row.id for row in rows if not row.used and row.removed_at is None and not row.unused_at]
    gone = [row.id for row in rows if not row.used and row.removed_at is not None and row.digest is None]
    settled = {row.id for row in rows} - {row.id for row in over} - set(new) - set(gone)
    mark_removed(tx, [FILES.make(row) for row in over])
    tx.conn.execute(sa.update(tables.files).where(_columns.id.in_(new)).values(unused_at=tx.now))
    tx.conn.execute(sa.update(tables.files).where(_columns.id.in_(settled)).values(unused_at=None))
    tx.conn.execute(sa.delete(tables.files).where(_columns.id.in_(gone)))


def removed_files(conn: sa.Connection, after: str = "") -> list[RemovedFile]:
    """Removed files whose contents may be on the disk, in the order of their ids, from behind *after* on."""
    return _REMOVED.all(conn, after=after, most=FILES_SWEPT_MAX)


def by_organization(removed: Iterable[RemovedFile]) -> dict[str, list[str]]:
    """The ids of removed files, by the id of their organization."""
    ids: dict[str, list[str]] = {}
    for file in removed:
        ids.setdefault(file.organization_id, []).append(file.id)
    return ids


def is_needed(conn: sa.Connection, organization_id: str, digest: str) -> bool:
    """Whether a file of the organization that is not removed has this content."""
    return _OF_CONTENT.one(conn, organization_id=organization_id, digest=digest) is not None


def let_go(tx: Tx, organization_id: str, file_ids: Collection[str]) -> None:
    """Note that the contents of these removed files of an organization are not theirs any more.

    The unused ones end here.
    """
    of_these = sa.and_(_columns.organization_id == organization_id, _columns.id.in_(file_ids))
    tx.conn.execute(sa.delete(tables.files).where(of_these, ~_IS_USED))
    tx.conn.execute(sa.update(tables.files).where(of_these).values(digest=None))


def without_rows(conn: sa.Connection, organization_id: str, digests: Collection[str]) -> list[str]:
    """Those of *digests* that no row of the organization has."""
    return [digest for digest in digests if not files.has_content(conn, organization_id, digest)]
