"""The backlog of the whole installation."""

from typing import Final

import sqlalchemy as sa

from svc.storage.backlog import sending, work
from svc.storage.backlog.queues import Backlog

_LOOKS: Final = (
    work.submissions,
    work.events,
    sending.deliveries,
    sending.replies,
    sending.mails,
    work.runs,
    work.agent_runs,
    work.approvals,
    work.imports,
    work.exports,
)


def read(conn: sa.Connection, now: int) -> list[Backlog]:
    """What waits of each noun. It counts entries of indexes that have nothing but what waits."""
    return [look(conn, now) for look in _LOOKS]
