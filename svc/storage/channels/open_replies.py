"""The open replies of a connection, all at once: settled, resumed with it, or failed with it."""

from typing import Final

import sqlalchemy as sa

from svc.domain.channels import replies as rules
from svc.domain.channels.limits import REPLIES_COUNTED_MAX
from svc.domain.channels.replies import Failure
from svc.domain.events import Source
from svc.storage.channels import replies, tables
from svc.storage.channels.replies import REPLIES
from svc.storage.statements import Statement
from svc.storage.store import Tx

_OF_CONNECTION: Final = (
    REPLIES.select(tables.replies.c.connection_id == sa.bindparam("connection_id"))
    .where(tables.IS_OPEN)
    .order_by(tables.replies.c.id)
)
_OPEN = REPLIES.prepared(_OF_CONNECTION)
_OVERDUE = REPLIES.prepared(
    _OF_CONNECTION.where(
        sa.case(
            (tables.replies.c.state == replies.WAITING, tables.replies.c.expires_at),
            else_=tables.replies.c.lease_expires_at,
        )
        <= sa.bindparam("now")
    )
)
_STATUS = Statement(
    sa.select(tables.connections.c.status).where(tables.connections.c.id == sa.bindparam("connection_id")),
    str,
)


_WAITING = Statement(
    sa.select(sa.func.count()).select_from(
        sa.select(tables.replies.c.id)
        .where(
            tables.replies.c.connection_id == sa.bindparam("connection_id"),
            tables.IS_OPEN,
            tables.replies.c.state == replies.WAITING,
        )
        .limit(REPLIES_COUNTED_MAX)
        .subquery()
    ),
    int,
)


def count_waiting(conn: sa.Connection, connection_id: str) -> int:
    """How many of its replies wait to be handed out, counted up to `REPLIES_COUNTED_MAX`."""
    return _WAITING.all(conn, connection_id=connection_id)[0]


def settle_all(tx: Tx, connection_id: str) -> None:
    """Settle the connection's replies."""
    paused = _STATUS.one(tx.conn, connection_id=connection_id) == "paused"
    settle_overdue(tx, connection_id, paused=paused)


def settle_overdue(tx: Tx, connection_id: str, *, paused: bool) -> None:
    """Settle the replies of a connection, which is *paused* or not."""
    for before in _OVERDUE.all(tx.conn, connection_id=connection_id, now=tx.now):
        replies.settle(tx, before, paused=paused)


def resume_all(tx: Tx, connection_id: str) -> None:
    """Give open replies their full time again, as the connection resumes."""
    for before in _OPEN.all(tx.conn, connection_id=connection_id):
        replies.write(tx, before, rules.resume(before.dispatch, tx.now))


def fail_all(tx: Tx, connection_id: str, why: Failure, *, source: Source) -> None:
    """Fail all open replies."""
    for before in _OPEN.all(tx.conn, connection_id=connection_id):
        replies.write(tx, before, rules.fail(before.dispatch, why), source=source)
