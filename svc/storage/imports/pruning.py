"""Pruning: what ended imports leave is deleted, and imports that wait for too long are cancelled."""

from typing import Final

import sqlalchemy as sa

from svc.domain.limits import IMPORT_LIFE_MS, IMPORT_WAIT_MS, IMPORTS_PRUNED_MAX
from svc.storage.imports import tables
from svc.storage.imports.tables import imports
from svc.storage.store import Tx

_UPLOADS: Final = (tables.import_parts, tables.import_chunks)
_OUTPUTS: Final = (tables.import_outputs, tables.import_keys)


def prune(tx: Tx) -> bool:
    """Delete at most `IMPORTS_PRUNED_MAX` rows of each table; whether there may be more.

    Uploads go once their imports have ended, and what earlier starts left; the rest `IMPORT_LIFE_MS` later.
    """
    _cancel_idle(tx)
    ended = sa.select(imports.c.id).where(imports.c.ended_at.is_not(None))
    over = ended.where(imports.c.ended_at <= tx.now - IMPORT_LIFE_MS)
    more = [_delete(tx, table, table.c.import_id.in_(ended)) for table in _UPLOADS]
    more += [_delete(tx, table, table.c.import_id.in_(over)) for table in _OUTPUTS]
    more += [_prune_earlier_runs(tx, table) for table in _OUTPUTS]
    if not any(more):
        rows = sa.select(imports.c.id).where(imports.c.id.in_(over)).limit(IMPORTS_PRUNED_MAX)
        tx.conn.execute(sa.delete(imports).where(imports.c.id.in_(rows)))
    return any(more)


def _cancel_idle(tx: Tx) -> None:
    """Cancel imports that have waited for their upload, or for their start, for `IMPORT_WAIT_MS`."""
    tx.conn.execute(
        sa.update(imports)
        .where(
            imports.c.ended_at.is_(None),
            imports.c.state.in_(("uploading", "uploaded", "checked")),
            imports.c.updated_at <= tx.now - IMPORT_WAIT_MS,
        )
        .values(state="cancelled", updated_at=tx.now, ended_at=tx.now)
    )


def _prune_earlier_runs(tx: Tx, table: sa.Table) -> bool:
    several = tx.conn.execute(sa.select(imports.c.id, imports.c.run).where(imports.c.run > 1)).all()
    more = [_delete(tx, table, (table.c.import_id == row.id) & (table.c.run < row.run)) for row in several]
    return any(more)


def _delete(tx: Tx, table: sa.Table, condition: sa.ColumnElement[bool]) -> bool:
    key = table.primary_key.columns
    over = sa.select(*key).where(condition).limit(IMPORTS_PRUNED_MAX)
    deleted = tx.conn.execute(sa.delete(table).where(sa.tuple_(*key).in_(over))).rowcount
    return deleted == IMPORTS_PRUNED_MAX
