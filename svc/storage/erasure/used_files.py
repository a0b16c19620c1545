"""Files in an erasure: what only the person's own used goes at once, and not after the usual while."""

import sqlalchemy as sa

from svc.domain.erasure.marks import ERASED
from svc.storage.files import files, tables, uses
from svc.storage.store import Tx


def remove(tx: Tx, organization_id: str, subject_id: str) -> None:
    """End all uses by a record or message, and remove the files that nothing else uses, with their names.

    Their contents are deleted from the disk after the commit.
    """
    of_uses = tables.file_uses.c
    used = list(
        tx.conn.scalars(sa.select(of_uses.file_id).where(of_uses.subject_id == subject_id).distinct())
    )
    uses.end(tx.conn, [subject_id])
    for file_id in used:
        remove_unused(tx, organization_id, file_id)


def remove_unused(tx: Tx, organization_id: str, file_id: str) -> bool:
    """Remove a file with its name, unless something uses it; whether it was there to be removed."""
    of_uses = tables.file_uses.c
    if tx.conn.scalars(sa.select(of_uses.file_id).where(of_uses.file_id == file_id).limit(1)).first():
        return False
    of_file = tables.files.c.id == file_id
    is_there = tx.conn.scalar(sa.select(tables.files.c.removed_at).where(of_file)) is None
    if is_there:
        files.remove(tx, organization_id, file_id)
    tx.conn.execute(sa.update(tables.files).where(of_file).values(name=ERASED))
    return is_there
