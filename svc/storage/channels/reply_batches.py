"""Batches of replies: what is handed out to a bridge at once, leased for a pull or held for a push."""

from collections.abc import Callable
from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa
import structlog

from svc.domain.channels import replies as rules
from svc.domain.channels.attachments import StoredAttachment, as_sent
from svc.domain.channels.connections import Connection as MessengerConnection
from svc.domain.channels.messages import Author, OutboundReply
from svc.domain.channels.replies import Dispatch
from svc.domain.locale.times import rfc3339
from svc.storage.channels import open_replies, replies, tables
from svc.storage.channels.replies import Reply
from svc.storage.readable import without_value
from svc.storage.rows import Selection
from svc.storage.statements import Statement
from svc.storage.store import Tx

log = structlog.get_logger("svc.storage.channels.reply_batches")


class PulledBatch(msgspec.Struct, frozen=True, kw_only=True):
    """Replies that were handed out together."""

    replies: tuple[OutboundReply, ...]
    more: bool
    """Whether more replies can be handed out now."""
    next_at: int | None
    """When the next lease or wait ends; None if no reply is open."""


class _WaitingReply(msgspec.Struct, frozen=True):
    """A reply, with what its bridge gets of its message."""

    reply: Reply
    created_at: int
    external_id: str
    text: str | None
    attachments: str | None
    reply_to: str | None
    author: Author


_WAITING: Final = Selection(
    _WaitingReply,
    tables.replies,
    tables.conversations,
    tables.messages,
    members={
        "reply": replies.REPLIES,
        "author": Selection(
            Author,
            members={"kind": tables.messages.c.author_kind, "name": tables.messages.c.author_name},
            optional=True,
        ),
    },
    undecoded=["attachments"],
)
_AHEAD = tables.replies.alias("ahead")
_HEADS = _WAITING.prepared(
    _WAITING.select()
    .join(tables.messages, tables.messages.c.id == tables.replies.c.message_id)
    .join(tables.conversations, tables.conversations.c.id == tables.replies.c.conversation_id)
    .where(
        tables.replies.c.connection_id == sa.bindparam("connection_id"),
        tables.IS_OPEN,
        tables.replies.c.state == replies.WAITING,
        tables.replies.c.offer_at <= sa.bindparam("now"),
        ~sa.select(sa.literal_column("1", sa.Integer))
        .where(
            _AHEAD.c.conversation_id == tables.replies.c.conversation_id,
            _AHEAD.c.id < tables.replies.c.id,
            tables.is_open("ahead"),
        )
        .exists(),
    )
    .order_by(tables.replies.c.id)
    .limit(sa.bindparam("most"))
)
"""The oldest open reply of each conversation, where it waits and may be handed out."""


class _Next(NamedTuple):
    """When the next reply has to be settled."""

    at: int | None


_NEXT = Statement(
    sa.select(
        sa.func.min(
            sa.case(
                (tables.replies.c.state != replies.WAITING, tables.replies.c.lease_expires_at),
                (
                    (tables.replies.c.offer_at > sa.bindparam("now"))
                    & (tables.replies.c.offer_at < tables.replies.c.expires_at),
                    tables.replies.c.offer_at,
                ),
                else_=tables.replies.c.expires_at,
            )
        ).label("at")
    ).where(tables.replies.c.connection_id == sa.bindparam("connection_id"), tables.IS_OPEN),
    _Next,
)
_NEXT_LAPSE = Statement(
    sa.select(sa.func.min(tables.replies.c.lease_expires_at).label("at")).where(
        tables.replies.c.connection_id == sa.bindparam("connection_id"), tables.IS_OPEN
    ),
    _Next,
)
_decode_attachments: Final = msgspec.json.Decoder(tuple[StoredAttachment, ...]).decode


AddressOf = Callable[[str, int], str]
"""The address of the file with an id, signed at a time."""


def hand_out(
    tx: Tx, connection: MessengerConnection, limit: int, address_of: AddressOf | None = None
) -> PulledBatch:
    """Take at most *limit* replies for the bridge, the oldest first, of each conversation only the first.

    They are leased, or held for a push where the connection pushes. None are taken with 0, or where the
    connection hands out nothing; replies are settled all the same. Attachments that are files get the address
    that *address_of* gives.
    """
    connection_id, pushes, paused = connection.id, connection.delivery == "push", connection.is_paused
    next_at = _next_at(tx.conn, connection_id, tx.now, paused=paused)
    if next_at is not None and next_at <= tx.now:
        open_replies.settle_overdue(tx, connection_id, paused=paused)
        next_at = _next_at(tx.conn, connection_id, tx.now, paused=paused)
    # While a connection hands out, every open reply has a next time: without one no reply is open.
    rows = (
        _HEADS.all(tx.conn, connection_id=connection_id, now=tx.now, most=limit + 1)
        if connection.hands_out and limit > 0 and next_at is not None
        else []
    )
    taken: list[OutboundReply] = []
    held_until: int | None = None
    for row in rows[:limit]:
        before = row.reply
        after = (
            rules.begin_push(before.dispatch, tx.now)
            if pushes
            else rules.take(before.dispatch, tx.new_id("lse"), tx.now)
        )
        try:
            outbound = _outbound(row, after, lambda file_id: address_of and address_of(file_id, tx.now))
        except msgspec.DecodeError as error:
            log.warning("a reply cannot be read, and has failed", reply=before.id, why=without_value(error))
            replies.write(tx, before, rules.fail(before.dispatch, "unreadable"))
            continue
        replies.write(tx, before, after)
        held_until = after.lease_expires_at
        taken.append(outbound)
    if rows:
        # The other replies have no earlier time than the next one had, so the new lease is often the next.
        next_at = (
            held_until
            if held_until is not None and next_at is not None and held_until <= next_at
            else _next_at(tx.conn, connection_id, tx.now, paused=paused)
        )
    return PulledBatch(replies=tuple(taken), more=len(rows) > limit, next_at=next_at)


def _next_at(conn: sa.Connection, connection_id: str, now: int, *, paused: bool) -> int | None:
    """When the next of the connection's replies has to be settled; *now* or before, it is due."""
    if paused:
        row = _NEXT_LAPSE.one(conn, connection_id=connection_id)
    else:
        row = _NEXT.one(conn, connection_id=connection_id, now=now)
    return None if row is None else row.at


def connections_due(conn: sa.Connection, until: int) -> list[str]:
    """The connections of which a lease or a life ends by *until*, and those that have something to push.

    While a connection is paused its replies wait and are not pushed, but leases end all the same.
    """
    rows, connections = tables.replies, tables.connections
    is_due = sa.or_(connections.c.delivery == "push", rows.c.expires_at <= until)
    due = sa.or_(
        sa.and_(rows.c.state == replies.WAITING, connections.c.status == "active", is_due),
        sa.and_(rows.c.state != replies.WAITING, rows.c.lease_expires_at <= until),
    )
    found = sa.select(rows.c.connection_id).join(connections, connections.c.id == rows.c.connection_id)
    return list(conn.scalars(found.where(tables.IS_OPEN, due).distinct()))


def _outbound(row: _WaitingReply, taken: Dispatch, address_of: Callable[[str], str | None]) -> OutboundReply:
    leased_until = None if taken.lease_id is None else taken.lease_expires_at
    attachments = _decode_attachments(row.attachments) if row.attachments else ()
    return OutboundReply(
        reply_id=row.reply.id,
        lease_id=taken.lease_id,
        lease_expires_at=None if leased_until is None else rfc3339(leased_until),
        attempt=taken.attempts,
        conversation_id=row.external_id,
        text=row.text,
        attachments=tuple(as_sent(one, one.file_id and address_of(one.file_id)) for one in attachments),
        reply_to=row.reply_to,
        author=row.author,
        created_at=rfc3339(row.created_at),
        expires_at=rfc3339(taken.expires_at),
    )
