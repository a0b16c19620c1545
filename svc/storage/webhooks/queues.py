"""The queue of a subscription: its deliveries that wait, and which of each subject is the first.

A column says which delivery is the first of its subscription and subject: only that one may go out. So what
is due is found by an index, however many wait behind it.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.domain.changes import DeliveriesDue, ResourceChanged, RunsDue
from svc.domain.webhooks.deliveries import DeliveryProgress, DeliveryState, queued
from svc.domain.webhooks.limits import WEBHOOK_ENDED_AT_ONCE
from svc.storage.schema import UNCONVERTED_FLAG
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.webhooks import tables
from svc.storage.webhooks.rows import DELIVERIES, Delivery


class NewDelivery(msgspec.Struct, frozen=True, kw_only=True):
    """A delivery to be queued: of the event *event_id*, or else with a *body*."""

    organization_id: str
    webhook_id: str
    type: str
    subject: str
    place: int
    """Its place in the order of its subject: the event's position."""
    event_id: str | None = None
    run_id: str | None = None
    call_key: str | None = None
    body: str | None = None
    """The `data` to be sent, as JSON."""
    replayed: bool = False


_deliveries: Final = tables.webhook_deliveries
_earlier: Final = _deliveries.alias("earlier")
_live: Final = _deliveries.alias("live")
_OF_SUBJECT: Final = (
    _deliveries.c.webhook_id == sa.bindparam("of_webhook"),
    _deliveries.c.subject == sa.bindparam("of_subject"),
)
_WAITING_EARLIER: Final = sa.select(_earlier.c.id).where(
    _earlier.c.webhook_id == sa.bindparam("of_webhook"),
    _earlier.c.subject == sa.bindparam("of_subject"),
    tables.waiting("earlier"),
)


def _new(column: sa.Column[Any]) -> sa.BindParameter[Any]:
    """The parameter of a column. A flag is bound as it is stored, which spares each row a conversion."""
    kind = UNCONVERTED_FLAG if isinstance(column.type, sa.Boolean) else column.type
    return sa.bindparam(f"new_{column.name}", type_=kind)


_INSERT = Statement(
    sa.insert(_deliveries).values(
        {column.name: _new(column) for column in _deliveries.c} | {"is_first": ~_WAITING_EARLIER.exists()}
    )
)
_ANY_REPLAYED = Statement(sa.select(_deliveries.c.webhook_id).where(tables.IS_REPLAYED).limit(1))
_HURRY = Statement(sa.update(_deliveries).where(*_OF_SUBJECT, tables.IS_REPLAYED).values(replayed=sa.false()))
_HURRY_THOSE_AHEAD = Statement(
    sa.update(_deliveries)
    .where(
        *_OF_SUBJECT,
        tables.IS_REPLAYED,
        _deliveries.c.place
        < sa.select(sa.func.max(_live.c.place))
        .where(
            _live.c.webhook_id == sa.bindparam("of_webhook"),
            _live.c.subject == sa.bindparam("of_subject"),
            tables.waiting("live"),
            sa.text("NOT live.replayed"),
        )
        .scalar_subquery(),
    )
    .values(replayed=sa.false())
)
_UNSET_FIRST = Statement(
    sa.update(_deliveries).where(*_OF_SUBJECT, tables.IS_FIRST).values(is_first=sa.false())
)
_SET_FIRST = Statement(
    sa.update(_deliveries)
    .where(
        _deliveries.c.id
        == _WAITING_EARLIER.order_by(_earlier.c.place, _earlier.c.id)
        .limit(sa.literal_column("1"))
        .scalar_subquery()
    )
    .values(is_first=sa.true())
)
_CALL = DELIVERIES.prepared(
    DELIVERIES.select(
        _deliveries.c.run_id == sa.bindparam("of_run"), _deliveries.c.call_key == sa.bindparam("key")
    )
)
_PROGRESS: Final = {name: _new(_deliveries.c[name]) for name in DeliveryProgress.__struct_fields__}
_NEW_PROGRESS: Final = tuple((f"new_{name}", name) for name in DeliveryProgress.__struct_fields__)
"""The names of parameters, and of the fields that they are of."""
_WRITE: Final = {
    waits: Statement(
        sa.update(_deliveries)
        .where(_deliveries.c.id == sa.bindparam("delivery_id"))
        .values(_PROGRESS if waits else _PROGRESS | {"is_first": sa.false()})
    )
    for waits in (True, False)
}
_END = Statement(
    sa.update(_deliveries)
    .where(
        _deliveries.c.id.in_(
            sa.select(_earlier.c.id)
            .where(_earlier.c.webhook_id == sa.bindparam("of_webhook"), tables.waiting("earlier"))
            .limit(sa.bindparam("limit", type_=sa.Integer))
        )
    )
    .values(
        state=sa.bindparam("new_state"),
        done_at=sa.bindparam("now"),
        next_attempt_at=sa.null(),
        is_first=sa.false(),
        replayed=sa.false(),
    )
)


def add(tx: Tx, new: Sequence[NewDelivery]) -> list[str]:
    """Queue deliveries, in this order, and return their ids. Each is behind those of its subject that wait.

    Those of its subject that are replayed hold it up, so they are not behind live ones any more.
    """
    if not new:
        return []
    rows = [_row(tx, one) for one in new]
    _INSERT.many(tx.conn, rows)
    if _ANY_REPLAYED.one(tx.conn) is not None:
        live = {(row["of_webhook"], row["of_subject"]) for row in rows if not row["new_replayed"]}
        _HURRY.many(tx.conn, [_subject(*pair) for pair in sorted(live)])
    announce(tx, (one.webhook_id for one in new))
    for organization_id, webhook_id in dict.fromkeys((one.organization_id, one.webhook_id) for one in new):
        tx.announce(ResourceChanged(organization_id, "webhook", webhook_id))
    return [row["new_id"] for row in rows]


def call_of(conn: sa.Connection, run_id: str, call_key: str) -> Delivery | None:
    """The delivery of a run's call."""
    return _CALL.one(conn, of_run=run_id, key=call_key)


def write(tx: Tx, changed: Sequence[tuple[Delivery, DeliveryProgress]]) -> None:
    """Store how far deliveries are that were as these. Where one ends, the next of its subject is first.

    One that waits again may be earlier than what waits: see `reorder`.
    """
    values: dict[bool, list[dict[str, Any]]] = {True: [], False: []}
    ended: list[Delivery] = []
    for before, after in changed:
        of_delivery = {name: getattr(after, field) for name, field in _NEW_PROGRESS}
        of_delivery["delivery_id"] = before.id
        values[after.state == "waiting"].append(of_delivery)
        if before.state == "waiting" and after.state != "waiting":
            ended.append(before)
    for waits, rows in values.items():
        _WRITE[waits].many(tx.conn, rows)
    _SET_FIRST.many(tx.conn, [_subject(before.webhook_id, before.subject) for before in ended])
    for organization_id in dict.fromkeys(one.organization_id for one in ended if one.run_id is not None):
        tx.announce(RunsDue(organization_id))
    for organization_id, webhook_id in dict.fromkeys(
        (one.organization_id, one.webhook_id) for one, _ in changed
    ):
        tx.announce(ResourceChanged(organization_id, "webhook", webhook_id))


def reorder(tx: Tx, webhook_id: str, subjects: Iterable[str]) -> None:
    """Find the first of each of the *subjects* anew, since earlier ones wait again.

    Where live ones wait behind replayed ones, these are not behind live ones any more.
    """
    pairs = [_subject(webhook_id, subject) for subject in sorted(set(subjects))]
    _HURRY_THOSE_AHEAD.many(tx.conn, pairs)
    _UNSET_FIRST.many(tx.conn, pairs)
    _SET_FIRST.many(tx.conn, pairs)


def end(tx: Tx, organization_id: str, webhook_id: str, state: DeliveryState) -> bool:
    """Have at most `WEBHOOK_ENDED_AT_ONCE` of those that wait end as *state*; whether there may be more."""
    ended = _END.changed(
        tx.conn, of_webhook=webhook_id, new_state=state, now=tx.now, limit=WEBHOOK_ENDED_AT_ONCE
    )
    if ended:
        tx.announce(RunsDue(organization_id))
    return ended == WEBHOOK_ENDED_AT_ONCE


def announce(tx: Tx, webhook_ids: Iterable[str]) -> None:
    """Announce once for all of the unit that deliveries may be due."""
    for webhook_id in dict.fromkeys(webhook_ids):
        due = DeliveriesDue(webhook_id)
        if due not in tx.changes:
            tx.announce(due)


def _subject(webhook_id: str, subject: str) -> dict[str, Any]:
    return {"of_webhook": webhook_id, "of_subject": subject}


def _row(tx: Tx, new: NewDelivery) -> dict[str, Any]:
    progress = queued(tx.now, replayed=new.replayed)
    values = msgspec.structs.asdict(new) | msgspec.structs.asdict(progress)
    values |= {"id": tx.new_id("dlv"), "created_at": tx.now}
    of_subject = _subject(new.webhook_id, new.subject)
    return {f"new_{name}": value for name, value in values.items()} | of_subject
