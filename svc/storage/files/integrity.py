"""What must always hold of files; `svc check` finds where it does not."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import sqlalchemy as sa

from svc.domain.locale.times import DAY_MS, SECOND_MS
from svc.storage.files import tables
from svc.storage.files.directory import digests_in, organizations_in, path_of
from svc.storage.sql.expressions import Whole

LEFT_OVER_MS: Final = 2 * DAY_MS
"""How old a content without a row may be: a start deletes it, or the sweep of each day."""

_files: Final = tables.files
_uses: Final = tables.file_uses
_totals: Final = tables.file_totals
_IS_USED: Final = sa.select(_uses.c.file_id).where(_uses.c.file_id == _files.c.id).exists()
_LIVE: Final = _files.c.removed_at.is_(None)

Broken = Callable[[sa.Connection], Iterable[str]]


def _query(*where: sa.ColumnElement[bool]) -> Broken:
    """Names the files for which this holds."""
    return lambda conn: conn.scalars(sa.select(_files.c.id).where(*where))


def _miscounted(conn: sa.Connection) -> Iterable[str]:
    counted = (
        sa.select(
            _files.c.organization_id,
            sa.func.count().label("files"),
            Whole(_files.c.size).label("bytes"),
        )
        .where(_LIVE)
        .group_by(_files.c.organization_id)
        .subquery()
    )
    stored = sa.select(_totals.c.organization_id, counted.c.organization_id.label("has")).join(
        counted, counted.c.organization_id == _totals.c.organization_id, full=True
    )
    differs = sa.or_(
        sa.func.coalesce(_totals.c.files, 0) != sa.func.coalesce(counted.c.files, 0),
        sa.func.coalesce(_totals.c.bytes, 0) != sa.func.coalesce(counted.c.bytes, 0),
    )
    return [row[0] or row[1] for row in conn.execute(stored.where(differs))]


INVARIANTS: Final[Mapping[str, Broken]] = {
    "every file is used, or it is known since when it is not": _query(
        _LIVE, _files.c.unused_at.is_(None), ~_IS_USED
    ),
    "no file counts as unused that something uses": _query(_files.c.unused_at > 0, _IS_USED),
    "every file that is not removed has a content": _query(_LIVE, _files.c.digest.is_(None)),
    "the files of every organization are counted": _miscounted,
}


def on_disk(root: Path, now: int) -> dict[str, Broken]:
    """What must hold between the rows and the contents below *root*, for `integrity.check` at the time *now*.

    The disk is listed now, and has to be before the rows are read: what is deleted meanwhile was listed, and
    what is new is looked for once more.
    """
    listed = {of: frozenset(digests_in(root, of)) for of in organizations_in(root)}

    def missing(conn: sa.Connection) -> Iterator[str]:
        rows = conn.execute(
            sa.select(_files.c.id, _files.c.organization_id, _files.c.digest, _files.c.size)
            .where(_LIVE, _files.c.digest.is_not(None))
            .execution_options(yield_per=1_000)
        )
        for file_id, organization_id, digest, size in rows:
            path = path_of(root, organization_id, digest)
            try:
                if path.stat().st_size != size:
                    yield f"{file_id}: {path} has not {size} bytes"
            except OSError:
                if digest not in listed.get(organization_id, ()):
                    yield f"{file_id}: {path}"

    def left_over(conn: sa.Connection) -> Iterator[str]:
        for organization_id, digests in listed.items():
            known = frozenset(
                conn.scalars(
                    sa.select(_files.c.digest).where(
                        _files.c.organization_id == organization_id, _files.c.digest.is_not(None)
                    )
                )
            )
            for digest in sorted(digests - known):
                path = path_of(root, organization_id, digest)
                if path.exists() and path.stat().st_mtime * SECOND_MS < now - LEFT_OVER_MS:
                    yield str(path)

    return {
        "every file's content is on the disk": missing,
        "no content is on the disk for days that no file has": left_over,
    }
