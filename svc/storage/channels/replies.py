"""Outbound replies: `svc.domain.channels.replies` decides the transitions, which are stored here.

Every unit first settles the replies that it reads: leases that ended and lives that are over. So no timer is
needed, and a crash loses none.
"""

from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.changes import OutboxChanged, ResourceChanged
from svc.domain.channels import replies as rules
from svc.domain.channels.messages import StatusNoted, StatusReport
from svc.domain.channels.replies import Dispatch
from svc.domain.errors import Conflict, NotFound
from svc.domain.events import NewEvent, Source, channel_source
from svc.domain.limits import REPLIES_OPEN_MAX
from svc.storage.channels import tables
from svc.storage.channels.rows import ReplyRow, ReplyStatusRow, WaitingReplyRow
from svc.storage.events import events
from svc.storage.statements import Statement
from svc.storage.store import Tx


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """A reply as it is stored."""

    id: str
    organization_id: str
    connection_id: str
    conversation_id: str
    message_id: str
    dispatch: Dispatch


WAITING: Final = sa.literal_column("'waiting'", sa.Text)
COLUMNS: Final = tuple(tables.replies.c[name] for name in ReplyRow._fields)


class _Count(NamedTuple):
    """How many replies are open."""

    many: int


_WITH_STATUS: Final = sa.select(*COLUMNS, tables.connections.c.status).join(
    tables.connections, tables.connections.c.id == tables.replies.c.connection_id
)
_GET = Statement(
    _WITH_STATUS.where(
        tables.replies.c.id == sa.bindparam("reply_id"),
        tables.replies.c.connection_id == sa.bindparam("connection_id"),
    ),
    ReplyStatusRow,
)
_BY_MESSAGE = Statement(
    _WITH_STATUS.where(tables.replies.c.message_id == sa.bindparam("message_id")), ReplyStatusRow
)
_COUNT_OPEN = Statement(
    sa.select(sa.func.count().label("many")).where(
        tables.replies.c.connection_id == sa.bindparam("connection_id"), tables.IS_OPEN
    ),
    _Count,
)
_INSERT = Statement(sa.insert(tables.replies))
_WRITE = Statement(
    sa.update(tables.replies)
    .where(tables.replies.c.id == sa.bindparam("reply_id"))
    .values(
        {name: sa.bindparam(f"new_{name}") for name in Dispatch.__struct_fields__}
        | {"error": sa.bindparam("new_error"), "changed_at": sa.bindparam("at")}
    )
)


def queue(tx: Tx, organization_id: str, connection_id: str, conversation_id: str, message_id: str) -> str:
    """Queue a stored message for the messenger; the reply's id.

    Raises `Conflict` when `REPLIES_OPEN_MAX` are on their way already.
    """
    counted = _COUNT_OPEN.one(tx.conn, connection_id=connection_id)
    if counted is not None and counted.many >= REPLIES_OPEN_MAX:
        raise Conflict(f"{REPLIES_OPEN_MAX} replies wait for this connection's bridge already")
    reply_id = tx.new_id("rpl")
    _INSERT.run(
        tx.conn,
        {
            "id": reply_id,
            "organization_id": organization_id,
            "connection_id": connection_id,
            "conversation_id": conversation_id,
            "message_id": message_id,
            "error": None,
            "created_at": tx.now,
            "changed_at": tx.now,
        }
        | msgspec.structs.asdict(rules.queued(tx.now)),
    )
    tx.announce(OutboxChanged(connection_id))
    tx.announce(ResourceChanged(organization_id, "conversation", conversation_id))
    return reply_id


def note_status(tx: Tx, connection_id: str, report: StatusReport) -> tuple[StatusNoted, Reply]:
    """Store what the messenger did with a reply; it is returned as well.

    Raises `NotFound` for what is no reply of the connection.
    """
    before = _get_settled(tx, connection_id, report.reply_id)
    after = rules.report(before.dispatch, report.status, report.lease_id)
    if after is None:
        return StatusNoted(applied=False, status=before.dispatch.state), before
    error = None if report.error is None else msgspec.json.encode(report.error).decode()
    write(tx, before, after, error=error)
    return StatusNoted(applied=True, status=after.state), before


def note_seen(tx: Tx, connection_id: str, reply_id: str) -> Reply | None:
    """Store as sent a reply that was seen in the messenger; None for another connection's."""
    row = _GET.one(tx.conn, reply_id=reply_id, connection_id=connection_id)
    if row is None:
        return None
    before = _settled(tx, row)
    after = rules.report(before.dispatch, "sent")
    if after is None:
        return before
    write(tx, before, after)
    return msgspec.structs.replace(before, dispatch=after)


def note_reached(tx: Tx, connection_id: str, reply_id: str) -> None:
    """Store that a push of the reply was answered 2xx: its bridge has it. Raises `NotFound`.

    The next of its conversation may then be pushed.
    """
    before = get(tx.conn, connection_id, reply_id)
    after = rules.reach(before.dispatch)
    if after != before.dispatch:
        write(tx, before, after)


def note_not_reached(tx: Tx, connection_id: str, reply_id: str, attempt: int, retry_after_ms: int) -> None:
    """Schedule the retry of a push, by its number, that did not reach the bridge. Raises `NotFound`."""
    before = _get_settled(tx, connection_id, reply_id)
    after = rules.put_off(before.dispatch, attempt, tx.now, retry_after_ms)
    if after is not before.dispatch:
        write(tx, before, after)


def give_back(tx: Tx, connection_id: str, reply_id: str, attempt: int) -> None:
    """Undo the push of a reply, by its number, that was not sent. Raises `NotFound`."""
    before = _get_settled(tx, connection_id, reply_id)
    after = rules.give_back(before.dispatch, attempt)
    if after is not before.dispatch:
        write(tx, before, after)


def cancel(tx: Tx, message_id: str, *, source: Source) -> Reply:
    """Cancel the reply that a message is. Raises `NotFound`, and `Conflict` when it does not wait."""
    row = _BY_MESSAGE.one(tx.conn, message_id=message_id)
    if row is None:
        raise NotFound("this message is no reply")
    before = _settled(tx, row)
    after = rules.cancel(before.dispatch)
    if after is None:
        raise Conflict(f"it does not wait any more: it is {before.dispatch.state}")
    write(tx, before, after, source=source)
    return msgspec.structs.replace(before, dispatch=after)


def get(conn: sa.Connection, connection_id: str, reply_id: str) -> Reply:
    """The reply, as it was last settled. Raises `NotFound` for what is no reply of the connection."""
    return from_row(_row_of(conn, connection_id, reply_id))


def _row_of(conn: sa.Connection, connection_id: str, reply_id: str) -> ReplyStatusRow:
    row = _GET.one(conn, reply_id=reply_id, connection_id=connection_id)
    if row is None:
        raise NotFound("no such reply")
    return row


def _get_settled(tx: Tx, connection_id: str, reply_id: str) -> Reply:
    return _settled(tx, _row_of(tx.conn, connection_id, reply_id))


def _settled(tx: Tx, row: ReplyStatusRow) -> Reply:
    """The reply of a row, settled."""
    return settle(tx, from_row(row), paused=row.status == "paused")


def settle(tx: Tx, before: Reply, *, paused: bool) -> Reply:
    """The reply, with leases that ended and a life that is over stored. *paused* is its connection."""
    after = rules.settle(before.dispatch, tx.now, paused=paused)
    if after is before.dispatch:
        return before
    write(tx, before, after)
    return msgspec.structs.replace(before, dispatch=after)


def write(
    tx: Tx, before: Reply, after: Dispatch, *, error: str | None = None, source: Source | None = None
) -> None:
    """Update a reply, and announce a final status, after which the next of its conversation may go out.

    Without a *source* it is the channel's: a report, the end of a push, or of the time for either.
    """
    values = {f"new_{name}": value for name, value in msgspec.structs.asdict(after).items()}
    _WRITE.run(tx.conn, values | {"reply_id": before.id, "new_error": error, "at": tx.now})
    if after.state == before.dispatch.state:
        return
    if after.state in {"waiting", "taken"}:
        tx.announce(ResourceChanged(before.organization_id, "conversation", before.conversation_id))
        return
    tx.announce(OutboxChanged(before.connection_id))  # the next of its conversation may go out
    status = {
        "connectionId": before.connection_id,
        "conversationId": before.conversation_id,
        "messageId": before.message_id,
        "replyId": before.id,
        "status": after.state,
        "failure": after.failure,
        "error": None if error is None else msgspec.json.decode(error),
    }
    changed = NewEvent(
        type="message.status",
        subject=before.conversation_id,
        source=source or channel_source(before.connection_id, before.conversation_id),
        data=status,
    )
    events.record(tx, before.organization_id, [changed])


def from_row(row: ReplyRow | ReplyStatusRow | WaitingReplyRow) -> Reply:
    return Reply(
        id=row.id,
        organization_id=row.organization_id,
        connection_id=row.connection_id,
        conversation_id=row.conversation_id,
        message_id=row.message_id,
        dispatch=Dispatch(
            state=row.state,
            expires_at=row.expires_at,
            offer_at=row.offer_at,
            attempts=row.attempts,
            lapses=row.lapses,
            push_failures=row.push_failures,
            lease_id=row.lease_id,
            lease_expires_at=row.lease_expires_at,
            failure=row.failure,
        ),
    )
