"""Deliveries: pushes to a bridge, each under one id however often it is retried."""

from typing import Any, Final, Literal

import msgspec
import sqlalchemy as sa

from svc.domain.attempts import AttemptOutcome
from svc.domain.channels.limits import PUSH_HOLD_MS
from svc.domain.errors import Conflict
from svc.storage.channels import tables
from svc.storage.rows import Rows
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
    milliseconds: int | None = None
    """How long the last attempt took."""
    answer: str | None = None
    """The beginning of what a test was answered."""


_column: Final = tables.deliveries.c
DELIVERIES: Final = Rows(
    tables.deliveries, Delivery, beside=["organization_id", "connection_id", "event", "reply_id"]
)
_OF_REPLY = Statement(sa.select(_column.id).where(_column.reply_id == sa.bindparam("reply_id")), str)
_INSERT_FIRST = Statement(insert_or_keep(tables.deliveries, ["reply_id"]))
_IS_OPEN_TEST: Final = (_column.done_at.is_(None), _column.reply_id.is_(None))
_NOTE = Statement(
    sa.update(tables.deliveries)
    .where(_column.id == sa.bindparam("delivery_id"))
    .values(
        attempts=_column.attempts + sa.literal_column("1", sa.Integer),
        attempted_at=sa.bindparam("at"),
        status_code=sa.bindparam("new_status_code"),
        error=sa.bindparam("new_error"),
        done_at=sa.func.coalesce(sa.bindparam("new_done_at", type_=sa.BigInteger), _column.done_at),
        milliseconds=sa.bindparam("new_milliseconds"),
        answer=sa.bindparam("new_answer"),
    )
)
_TESTS = DELIVERIES.prepared(
    DELIVERIES.select(_column.connection_id == sa.bindparam("connection_id"), *_IS_OPEN_TEST).order_by(
        _column.id
    )
)
_BEGIN = Statement(
    sa.update(tables.deliveries)
    .where(_column.id == sa.bindparam("delivery_id"))
    .values(attempted_at=sa.bindparam("at"))
)


def of_reply(tx: Tx, organization_id: str, connection_id: str, reply_id: str) -> str:
    """The id that a reply is pushed under; the first time it is made."""
    new = _new(tx)
    beside = _beside(organization_id, connection_id, "message.outbound", reply_id)
    if _INSERT_FIRST.changed(tx.conn, DELIVERIES.values(new) | beside):
        return new.id
    return _OF_REPLY.all(tx.conn, reply_id=reply_id)[0]


def add_test(tx: Tx, organization_id: str, connection_id: str) -> str:
    """Have a `ping` pushed, and return its id. Raises `Conflict` while another one waits."""
    if _TESTS.one(tx.conn, connection_id=connection_id) is not None:
        raise Conflict("a test is under way already")
    new = _new(tx)
    DELIVERIES.insert(tx.conn, new, **_beside(organization_id, connection_id, "ping", None))
    return new.id


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


def note(tx: Tx, delivery_id: str, outcome: AttemptOutcome, *, done: bool, with_answer: bool = False) -> None:
    """Keep how a push went, and whether it was the last; what is done stays done."""
    _NOTE.run(
        tx.conn,
        delivery_id=delivery_id,
        at=tx.now,
        new_status_code=outcome.status_code,
        new_error=outcome.error,
        new_done_at=tx.now if done else None,
        new_milliseconds=outcome.milliseconds,
        new_answer=outcome.answer if with_answer and outcome.status_code is not None else None,
    )


def end_tests(tx: Tx, connection_id: str) -> None:
    """Push no `ping` of the connection any more."""
    tx.conn.execute(
        sa.update(tables.deliveries)
        .where(_column.connection_id == connection_id, *_IS_OPEN_TEST)
        .values(done_at=tx.now)
    )


def last_test(conn: sa.Connection, connection_id: str) -> Delivery | None:
    """The latest test of a connection, and how it went."""
    tests = DELIVERIES.select(_column.connection_id == connection_id, _column.event == "ping")
    return DELIVERIES.one(conn, tests.order_by(_column.id.desc()).limit(1))


def connections_with_tests(conn: sa.Connection) -> list[str]:
    """The connections that have tests to be pushed."""
    return list(conn.scalars(sa.select(_column.connection_id).where(*_IS_OPEN_TEST).distinct()))


def _new(tx: Tx) -> Delivery:
    """A delivery that was not tried yet."""
    return Delivery(
        id=tx.new_id("dlv"),
        attempts=0,
        attempted_at=None,
        status_code=None,
        error=None,
        created_at=tx.now,
        done_at=None,
    )


def _beside(
    organization_id: str, connection_id: str, event: PushEvent, reply_id: str | None
) -> dict[str, Any]:
    """What is stored of a delivery besides."""
    return {
        "organization_id": organization_id,
        "connection_id": connection_id,
        "event": event,
        "reply_id": reply_id,
    }
