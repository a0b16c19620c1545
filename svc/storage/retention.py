"""Retention: which rows expire, and when. What is over is pruned a few rows at a time: see `pruning`.

The audit trail is never pruned, nor are keys: the trail names them.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from svc.domain.limits import EVENT_LIFE_MS
from svc.storage.agent import pruning as agent_pruning
from svc.storage.approvals import pruning as approvals_pruning
from svc.storage.forms import pruning as forms_pruning
from svc.storage.grants import pruning as grants_pruning
from svc.storage.identity import pruning as identity_pruning
from svc.storage.imports import pruning as imports_pruning
from svc.storage.mail import pruning as mail_pruning
from svc.storage.metadata import metadata
from svc.storage.pruning import UNTIL, Pruner, deletion
from svc.storage.requests import pruning as requests_pruning
from svc.storage.schema import table_facts
from svc.storage.store import Tx
from svc.storage.webhooks import pruning as webhooks_pruning
from svc.storage.workflows import pruning as workflows_pruning

# Idempotency, failures and events may have very many rows, and an index on the time; the others have about as
# many as there are people, and are scanned.
_LIVES: Final = sorted(
    (
        (table.c[life.since], life.ms)
        for table in metadata.sorted_tables
        if (life := table_facts(table).life).how == "expires"
    ),
    key=lambda life: -life[1],
)
"""The time from which the rows of a table live, and how long, of the tables that say so themselves.

Those that are kept longest come first, since they have most rows.
"""
PRUNERS: Final[Sequence[Pruner]] = (
    *(deletion(since.table, since <= UNTIL, oldest_by=since, life_ms=life_ms) for since, life_ms in _LIVES),
    *webhooks_pruning.PRUNERS,
    *forms_pruning.PRUNERS,
    *imports_pruning.PRUNERS,
    *mail_pruning.PRUNERS,
    *identity_pruning.PRUNERS,
    *grants_pruning.PRUNERS,
    *requests_pruning.PRUNERS,
    *approvals_pruning.PRUNERS,
    *workflows_pruning.PRUNERS,
    *agent_pruning.PRUNERS,
)
"""Events are deleted as long after they happened as history is kept, if they were dispatched and no delivery
of them waits; deliveries as long after they ended, with their attempts, and so are runs of workflows and
agents, and approvals. Mails and others have times of their own."""


class Overdue(NamedTuple):
    """Rows that are over, of the pruner with this number, by the owner whose unit prunes them."""

    number: int
    by_owner: dict[str, list[Any]]


def find(conn: sa.Connection, now: int, history_ms: int = EVENT_LIFE_MS, first: int = 0) -> Overdue | None:
    """The next few rows that are over, of the pruner numbered *first* or a later one; None if nothing is."""
    for number in range(first, len(PRUNERS)):
        by_owner = PRUNERS[number].find(conn, now, history_ms)
        if by_owner:
            return Overdue(number, by_owner)
    return None


def prune(tx: Tx, number: int, rows: Sequence[Any], history_ms: int = EVENT_LIFE_MS) -> None:
    """Prune rows of one owner that `find` has found."""
    PRUNERS[number].prune(tx, rows, history_ms)
