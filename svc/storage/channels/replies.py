"""Outbound replies: `svc.domain.channels.replies` decides the transitions, which are stored here.

Every unit first settles the replies that it reads: leases that ended and lives that are over. So no timer is
needed, and a crash loses none.
"""

from typing import Final

import msgspec
import sqlalchemy as sa

from svc.domain.changes import OutboxChanged, ResourceChanged
from svc.domain.channels import replies as rules
from svc.domain.channels.connections import ConnectionStatus
from svc.domain.channels.events import EventError, MessageStatusChanged
from svc.domain.channels.limits import REPLIES_OPEN_MAX
from svc.domain.channels.messages import StatusNoted, StatusReport
from svc.domain.channels.replies import Dispatch
from svc.domain.errors import Conflict, NotFound
from svc.domain.events import Source, channel_source
from svc.storage.channels import tables
from svc.storage.events import events
from svc.storage.rows import Rows, Selection
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
REPLIES: Final = Rows(
    tables.replies,
    Reply,
    members={"dispatch": Selection(Dispatch, tables.replies)},
    beside=["created_at", "changed_at"],
)


class _ReplyOfConnection(msgspec.Struct, frozen=True):
    """A reply, with the status of its connection, on which settling depends."""

    reply: Reply
    status: ConnectionStatus


_OF_CONNECTION: Final = Selection(
    _ReplyOfConnection, members={"reply": REPLIES, "status": tables.connections.c.status}
)
_WITH_STATUS: Final = _OF_CONNECTION.select().join(
    tables.connections, tables.connections.c.id == tables.replies.c.connection_id
)
_GET = _OF_CONNECTION.prepared(
    _WITH_STATUS.where(
        tables.replies.c.id == sa.bindparam("reply_id"),
        tables.replies.c.connection_id == sa.bindparam("connection_id"),
    )
)
_BY_MESSAGE = _OF_CONNECTION.prepared(
    _WITH_STATUS.where(tables.replies.c.message_id == sa.bindparam("message_id"))
)
_NOTE_SENT_AGAIN = Statement(
    sa.update(tables.replies)
    .where(tables.replies.c.message_id == sa.bindparam("of_message"))
    .values(sent_again_as=sa.bindparam("again_id"))
)
_COUNT_OPEN = Statement(
    sa.select(sa.func.count().label("many")).where(
        tables.replies.c.connection_id == sa.bindparam("connection_id"), tables.IS_OPEN
    ),
    int,
)
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
    if (_COUNT_OPEN.one(tx.conn, connection_id=connection_id) or 0) >= REPLIES_OPEN_MAX:
        raise Conflict(f"{REPLIES_OPEN_MAX} replies wait for this connection's bridge already")
    reply = Reply(
        id=tx.new_id("rpl"),
        organization_id=organization_id,
        connection_id=connection_id,
        conversation_id=conversation_id,
        message_id=message_id,
        dispatch=rules.queued(tx.now),
    )
    REPLIES.insert(tx.conn, reply, created_at=tx.now, changed_at=tx.now)
    tx.announce(OutboxChanged(connection_id))
    tx.announce(ResourceChanged(organization_id, "conversation", conversation_id))
    return reply.id


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
    before = settle_message(tx, message_id)
    after = rules.cancel(before.dispatch)
    if after is None:
        raise Conflict(f"it does not wait any more: it is {before.dispatch.state}")
    write(tx, before, after, source=source)
    return msgspec.structs.replace(before, dispatch=after)


def settle_message(tx: Tx, message_id: str) -> Reply:
    """The reply that a message is, settled. Raises `NotFound`."""
    row = _BY_MESSAGE.one(tx.conn, message_id=message_id)
    if row is None:
        raise NotFound("this message is no reply")
    return _settled(tx, row)


def note_sent_again(tx: Tx, message_id: str, again_id: str) -> None:
    """Store which message says the same once more as a reply that failed."""
    _NOTE_SENT_AGAIN.run(tx.conn, of_message=message_id, again_id=again_id)


def get(conn: sa.Connection, connection_id: str, reply_id: str) -> Reply:
    """The reply, as it was last settled. Raises `NotFound` for what is no reply of the connection."""
    return _with_status(conn, connection_id, reply_id).reply


def _with_status(conn: sa.Connection, connection_id: str, reply_id: str) -> _ReplyOfConnection:
    found = _GET.one(conn, reply_id=reply_id, connection_id=connection_id)
    if found is None:
        raise NotFound("no such reply")
    return found


def _get_settled(tx: Tx, connection_id: str, reply_id: str) -> Reply:
    return _settled(tx, _with_status(tx.conn, connection_id, reply_id))


def _settled(tx: Tx, found: _ReplyOfConnection) -> Reply:
    return settle(tx, found.reply, paused=found.status == "paused")


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
    changed = MessageStatusChanged(
        connection_id=before.connection_id,
        conversation_id=before.conversation_id,
        message_id=before.message_id,
        reply_id=before.id,
        status=after.state,
        failure=after.failure,
        error=None if error is None else msgspec.json.decode(error, type=EventError),
        source=source or channel_source(before.connection_id, before.conversation_id),
    )
    events.record(tx, before.organization_id, [changed])
