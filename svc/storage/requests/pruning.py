"""Pruning: calls are deleted seven days after they were answered."""

from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa

from svc.domain.limits import PRUNED_MAX
from svc.domain.requests.limits import REQUEST_LIFE_MS
from svc.storage.identity.tables import organizations
from svc.storage.pruning import UNTIL, Pruner
from svc.storage.requests.requests import first_since
from svc.storage.requests.tables import requests
from svc.storage.steps import Deletion
from svc.storage.store import Tx

_OLDEST_AT: Final = (
    sa.select(requests.c.at)
    .where(requests.c.organization_id == organizations.c.id)
    .order_by(requests.c.number)
    .limit(1)
    .scalar_subquery()
)
# One search for each organization: an index on the time would be one more for each call.
_WITH_EXPIRED: Final = (
    sa.select(organizations.c.id.label("owner")).where(UNTIL >= _OLDEST_AT).limit(PRUNED_MAX)
)
_EXPIRED: Final = Deletion(
    requests,
    requests.c.organization_id == sa.bindparam("organization_id"),
    requests.c.number < sa.bindparam("end", type_=sa.BigInteger),
    oldest_by=requests.c.number,
)


def _prune(tx: Tx, rows: Sequence[Any], until: int) -> None:
    """Some of the organization's: there may be more."""
    organization_id = rows[0].owner
    end = first_since(tx.conn, organization_id, until + 1)
    _EXPIRED.step(tx, organization_id=organization_id, end=end)


PRUNERS: Final = (Pruner(_WITH_EXPIRED, _prune, life_ms=REQUEST_LIFE_MS),)
