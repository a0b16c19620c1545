"""Pruning: submissions that were discarded long ago are removed for good, and from the blocks of searches."""

from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa

from svc.domain.changes import ResourceChanged
from svc.domain.forms.limits import DISCARDED_LIFE_MS, DISCARDED_PRUNED_MAX
from svc.storage.forms import search_blocks, tables
from svc.storage.pruning import UNTIL, Pruner
from svc.storage.store import Tx

_column: Final = tables.submissions.c
_OVER: Final = (
    sa.select(_column.organization_id.label("owner"), _column.id)
    .where(_column.discarded_at <= UNTIL)
    .order_by(_column.discarded_at)
    .limit(DISCARDED_PRUNED_MAX)
)


def _remove_discarded(tx: Tx, rows: Sequence[Any], until: int) -> None:
    """Nothing refers to them: what a submission leaves elsewhere is made when it is filed.

    One that was restored since it was found stays.
    """
    organization_id, found = rows[0].owner, [row.id for row in rows]
    over = tx.conn.scalars(
        sa.select(_column.id).where(_column.id.in_(found), _column.discarded_at <= until)
    ).all()
    for submission_id in over:
        search_blocks.remove(tx, organization_id, submission_id)
    tx.conn.execute(sa.delete(tables.submissions).where(_column.id.in_(over)))
    tx.announce(ResourceChanged(organization_id, "submission", None))


PRUNERS: Final = (Pruner(_OVER, _remove_discarded, life_ms=DISCARDED_LIFE_MS),)
