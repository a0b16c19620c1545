"""Deliveries: pushes to a bridge, each under one id however often it is retried."""

from typing import Any, Literal, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.attempts import AttemptOutcome
from svc.domain.errors import Conflict
from svc.domain.limits import PUSH_HOLD_MS
from svc.storage.channels import tables
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.upserts import insert_or_keep

PushEvent = Literal["message.outbound", "ping"]


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """A delivery as a person sees it. Times are ms since the epoch."""

    id: str
    attempts: int
    attempted_at: int | None
    status_code: int | None
    error: str | None
    created_at: int
    done_at: int | None


class _Row(NamedTuple):
    """A delivery, and when it was last begun."""

    id: str
    attempted_at: int | None


_OF_REPLY = Statement(
    sa.select(tables.deliveries.c.id, tables.deliveries.c.attempted_at).where(
        tables.deliveries.c.reply_id == sa.bindparam("reply_id")
    ),
    _Row,
)
_INSERT = Statement(sa.insert(tables.deliveries))
_INSERT_FIRST = Statement(insert_or_keep(tables.deliveries, ["reply_id"]))
_NOTE = Statement(
    sa.update(tables.deliveries)
    .where(tables.deliveries.c.id == sa.bindparam("delivery_id"))
    .values(
        attempts=tables.deliveries.c.attempts + sa.literal_column("1", sa.Integer),
        attempted_at=sa.bindparam("at"),
        status_code=sa.bindparam("new_status_code"),
        error=sa.bindparam("new_error"),
        done_at=sa.func.coalesce(
            sa.bindparam("new_done_at", type_=sa.BigInteger), tables.deliveries.c.done_at
        ),
    )
)
_TESTS = Statement(
    sa.select(tables.deliveries.c.id, tables.deliveries.c.attempted_at)
    .where(
        tables.deliveries.c.connection_id == sa.bindparam("connection_id"),
        tables.deliveries.c.done_at.is_(None),
        tables.deliveries.c.reply_id.is_(None),
    )
    .order_by(tables.deliveries.c.id),
    _Row,
)
_BEGIN = Statement(
    sa.update(tables.deliveries)
    .where(tables.deliveries.c.id == sa.bindparam("delivery_id"))
    .values(attempted_at=sa.bindparam("at"))
)


def of_reply(tx: Tx, organization_id: str, connection_id: str, reply_id: str) -> str:
    """The id that a reply is pushed under; the first time it is made."""
    row = _new(tx, organization_id, connection_id, "message.outbound", reply_id)
    if _INSERT_FIRST.run(tx.conn, row):
        made: str = row["id"]
        return made
    return _OF_REPLY.all(tx.conn, reply_id=reply_id)[0].id


def add_test(tx: Tx, organization_id: str, connection_id: str) -> str:
    """Have a `ping` pushed, and return its id. Raises `Conflict` while another one waits."""
    if _TESTS.one(tx.conn, connection_id=connection_id) is not None:
        raise Conflict("a test is under way already")
    row = _new(tx, organization_id, connection_id, "ping", None)
    _INSERT.run(tx.conn, row)
    made: str = row["id"]
    return made


def begin_tests(tx: Tx, connection_id: str, limit: int) -> list[str]:
    """The tests to be pushed now, at most *limit*; one whose push was cut off is among them after a while."""
    due = [
        row.id
        for row in _TESTS.all(tx.conn, connection_id=connection_id)
        if row.attempted_at is None or row.attempted_at <= tx.now - PUSH_HOLD_MS
    ][:limit]
    _BEGIN.many(tx.conn, [{"delivery_id": delivery_id, "at": tx.now} for delivery_id in due])
    return due


def give_back_test(tx: Tx, delivery_id: str) -> None:
    """Nothing was sent of a test that was begun: it is due at once."""
    _BEGIN.run(tx.conn, delivery_id=delivery_id, at=None)


def note(tx: Tx, delivery_id: str, outcome: AttemptOutcome, *, done: bool) -> None:
    """Keep how a push went, and whether it was the last; what is done stays done."""
    _NOTE.run(
        tx.conn,
        delivery_id=delivery_id,
        at=tx.now,
        new_status_code=outcome.status_code,
        new_error=outcome.error,
        new_done_at=tx.now if done else None,
    )


def end_tests(tx: Tx, connection_id: str) -> None:
    """Push no `ping` of the connection any more."""
    tx.conn.execute(
        sa.update(tables.deliveries)
        .where(
            tables.deliveries.c.connection_id == connection_id,
            tables.deliveries.c.done_at.is_(None),
            tables.deliveries.c.reply_id.is_(None),
        )
        .values(done_at=tx.now)
    )


def last_test(conn: sa.Connection, connection_id: str) -> Delivery | None:
    """The latest test of a connection, and how it went."""
    row = conn.execute(
        sa.select(*(tables.deliveries.c[name] for name in Delivery.__struct_fields__))
        .where(tables.deliveries.c.connection_id == connection_id, tables.deliveries.c.event == "ping")
        .order_by(tables.deliveries.c.id.desc())
        .limit(1)
    ).one_or_none()
    return None if row is None else Delivery(**row._asdict())


def connections_with_tests(conn: sa.Connection) -> list[str]:
    """The connections that have tests to be pushed."""
    due = tables.deliveries.c.done_at.is_(None) & tables.deliveries.c.reply_id.is_(None)
    return list(conn.scalars(sa.select(tables.deliveries.c.connection_id).where(due).distinct()))


def _new(
    tx: Tx, organization_id: str, connection_id: str, event: PushEvent, reply_id: str | None
) -> dict[str, Any]:
    """The row of a delivery that was not tried yet."""
    return {
        "id": tx.new_id("dlv"),
        "organization_id": organization_id,
        "connection_id": connection_id,
        "event": event,
        "reply_id": reply_id,
        "attempts": 0,
        "attempted_at": None,
        "status_code": None,
        "error": None,
        "created_at": tx.now,
        "done_at": None,
    }
