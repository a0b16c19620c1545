"""Uses of files: rows that are written in the transaction of what uses a file, so that none is guessed."""

from collections.abc import Iterable
from typing import Final, NamedTuple

import sqlalchemy as sa

from svc.domain.files.files import Noun
from svc.storage.files import tables
from svc.storage.statements import Statement
from svc.storage.upserts import insert_or_keep


class FileUse(NamedTuple):
    """One use: of which file, by what, and where in it."""

    file_id: str
    subject_id: str
    place: str
    organization_id: str
    noun: Noun


_uses: Final = tables.file_uses.c
_INSERT = Statement(insert_or_keep(tables.file_uses, ["file_id", "subject_id", "place"]))
_NOTE_USED = Statement(
    sa.update(tables.files).where(tables.files.c.id == sa.bindparam("used")).values(unused_at=None)
)
_NOTE_ENDED = Statement(
    sa.update(tables.files).where(tables.files.c.id == sa.bindparam("used")).values(unused_at=sa.literal(0))
)
_OF = Statement(
    sa.select(_uses.file_id).distinct().where(_uses.subject_id == sa.bindparam("subject_id")), str
)
_DELETE = Statement(sa.delete(tables.file_uses).where(_uses.subject_id == sa.bindparam("of_subject")))


def add(conn: sa.Connection, used: Iterable[FileUse]) -> None:
    """Store what uses files, which exist; a use that is there already stays."""
    rows = list(used)
    if rows:
        _INSERT.many(conn, [row._asdict() for row in rows])
        _NOTE_USED.many(conn, [{"used": row.file_id} for row in rows])


def end(conn: sa.Connection, subject_ids: Iterable[str]) -> None:
    """Delete all uses by these subjects. The files are looked at later, and removed if nothing uses them."""
    for subject_id in subject_ids:
        ended = _OF.all(conn, subject_id=subject_id)
        if ended:
            _DELETE.run(conn, of_subject=subject_id)
            _NOTE_ENDED.many(conn, [{"used": file_id} for file_id in ended])
