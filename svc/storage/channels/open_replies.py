"""The open replies of a connection, all at once: settled, resumed with it, or failed with it."""

from typing import NamedTuple

import sqlalchemy as sa

from svc.domain.channels import replies as rules
from svc.domain.channels.connections import ConnectionStatus
from svc.domain.channels.replies import Failure
from svc.domain.events import Source
from svc.storage.channels import replies, tables
from svc.storage.channels.rows import ReplyRow
from svc.storage.statements import Statement
from svc.storage.store import Tx


class _Status(NamedTuple):
    """The status of a connection."""

    status: ConnectionStatus


_OPEN = Statement(
    sa.select(*replies.COLUMNS)
    .where(tables.replies.c.connection_id == sa.bindparam("connection_id"), tables.IS_OPEN)
    .order_by(tables.replies.c.id),
    ReplyRow,
)
_OVERDUE = Statement(
    sa.select(*replies.COLUMNS)
    .where(
        tables.replies.c.connection_id == sa.bindparam("connection_id"),
        tables.IS_OPEN,
        sa.case(
            (tables.replies.c.state == replies.WAITING, tables.replies.c.expires_at),
            else_=tables.replies.c.lease_expires_at,
        )
        <= sa.bindparam("now"),
    )
    .order_by(tables.replies.c.id),
    ReplyRow,
)
_STATUS = Statement(
    sa.select(tables.connections.c.status).where(tables.connections.c.id == sa.bindparam("connection_id")),
    _Status,
)


def settle_all(tx: Tx, connection_id: str) -> None:
    """Settle the connection's replies."""
    row = _STATUS.one(tx.conn, connection_id=connection_id)
    settle_overdue(tx, connection_id, paused=row is not None and row.status == "paused")


def settle_overdue(tx: Tx, connection_id: str, *, paused: bool) -> None:
    """Settle the replies of a connection, which is *paused* or not."""
    for row in _OVERDUE.all(tx.conn, connection_id=connection_id, now=tx.now):
        replies.settle(tx, replies.from_row(row), paused=paused)


def resume_all(tx: Tx, connection_id: str) -> None:
    """Give open replies their full time again, as the connection resumes."""
    for row in _OPEN.all(tx.conn, connection_id=connection_id):
        before = replies.from_row(row)
        replies.write(tx, before, rules.resume(before.dispatch, tx.now))


def fail_all(tx: Tx, connection_id: str, why: Failure, *, source: Source) -> None:
    """Fail all open replies."""
    for row in _OPEN.all(tx.conn, connection_id=connection_id):
        before = replies.from_row(row)
        replies.write(tx, before, rules.fail(before.dispatch, why), source=source)
