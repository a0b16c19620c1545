"""Pruning: what ended imports leave is deleted, and imports that wait for too long are cancelled."""

from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa

from svc.domain.imports.limits import IMPORT_LIFE_MS, IMPORT_WAIT_MS, IMPORTS_PRUNED_MAX
from svc.storage.imports import tables
from svc.storage.imports.tables import imports
from svc.storage.pruning import UNTIL, Pruner, deletion
from svc.storage.store import Tx

_UPLOAD_TABLES: Final = (tables.import_parts, tables.import_chunks)
_OUTPUT_TABLES: Final = (tables.import_outputs, tables.import_keys)
_OVER_TABLES: Final = (*_OUTPUT_TABLES, tables.import_records)
_IS_IDLE: Final = (
    imports.c.ended_at.is_(None),
    imports.c.state.in_(("uploading", "uploaded", "checked")),
    imports.c.updated_at <= UNTIL,
)
_IDLE: Final = (
    sa.select(imports.c.organization_id.label("owner"), imports.c.id)
    .where(*_IS_IDLE)
    .limit(IMPORTS_PRUNED_MAX)
)
_ENDED: Final = sa.select(imports.c.id).where(imports.c.ended_at.is_not(None))
_OVER: Final = _ENDED.where(imports.c.ended_at <= UNTIL)
_RUN_AGAIN: Final = sa.select(imports.c.id).where(imports.c.run > 1)


def _cancel_idle(tx: Tx, rows: Sequence[Any], until: int) -> None:
    """Cancel imports that have waited for their upload, or for their start, for `IMPORT_WAIT_MS`."""
    tx.conn.execute(
        sa.update(imports)
        .where(imports.c.id.in_([row.id for row in rows]), *_IS_IDLE)
        .values(state="cancelled", updated_at=tx.now, ended_at=tx.now),
        {"until": until},
    )


def _of_earlier_run(table: sa.Table) -> tuple[sa.ColumnElement[bool], ...]:
    run = sa.select(imports.c.run).where(imports.c.id == table.c.import_id).scalar_subquery()
    return table.c.import_id.in_(_RUN_AGAIN), table.c.run < run


PRUNERS: Final = (
    Pruner(_IDLE, _cancel_idle, life_ms=IMPORT_WAIT_MS),
    *(
        deletion(table, table.c.import_id.in_(_ENDED), life_ms=0, rows_max=IMPORTS_PRUNED_MAX)
        for table in _UPLOAD_TABLES
    ),
    *(
        deletion(table, table.c.import_id.in_(_OVER), life_ms=IMPORT_LIFE_MS, rows_max=IMPORTS_PRUNED_MAX)
        for table in _OUTPUT_TABLES
    ),
    deletion(tables.import_records, tables.import_records.c.import_id.in_(_OVER), life_ms=IMPORT_LIFE_MS),
    *(
        deletion(table, *_of_earlier_run(table), life_ms=0, rows_max=IMPORTS_PRUNED_MAX)
        for table in _OUTPUT_TABLES
    ),
    # Those of which nothing else is left.
    deletion(
        imports,
        imports.c.id.in_(_OVER),
        *(
            ~sa.exists().where(table.c.import_id == imports.c.id)
            for table in (*_UPLOAD_TABLES, *_OVER_TABLES)
        ),
        life_ms=IMPORT_LIFE_MS,
        rows_max=IMPORTS_PRUNED_MAX,
    ),
)
"""Uploads go once their imports have ended, and what earlier runs left; the rest `IMPORT_LIFE_MS` later."""
