"""The units of work of an Outbox: what one connection hands out, by pull or by push."""

from collections.abc import Iterable

import msgspec
import sqlalchemy as sa

from svc.domain.attempts import AttemptOutcome, Destination
from svc.domain.changes import OutboxChanged, ResourceChanged
from svc.domain.channels.connections import Delivery
from svc.domain.channels.messages import OutboundReply, PulledReplies
from svc.domain.errors import Conflict
from svc.domain.events import channel_source
from svc.domain.tool_results import ToolResult
from svc.storage import idempotency
from svc.storage.channels import connections, deliveries, replies, reply_batches, signing_secrets
from svc.storage.channels.reply_batches import AddressOf, PulledBatch
from svc.storage.idempotency import Repeatable
from svc.storage.store import Tx


class Push(msgspec.Struct, frozen=True, kw_only=True):
    """One push: a reply, or a `ping` where there is none."""

    delivery_id: str
    reply: OutboundReply | None = None


class PushBatch(Destination, frozen=True, kw_only=True):
    """Pushes to send now, with their address and signing secrets; none where the bridge pulls."""

    delivery: Delivery
    pushes: tuple[Push, ...] = ()
    more: bool = False
    next_at: int | None = None


def organization_of(conn: sa.Connection, connection_id: str) -> str:
    """The id of the connection's organization. Raises `NotFound`."""
    return connections.find(conn, connection_id).organization_id


def pull(
    tx: Tx,
    connection_id: str,
    limit: int,
    call: Repeatable | None = None,
    address_of: AddressOf | None = None,
) -> PulledBatch | ToolResult:
    """Hand out at most *limit* replies, with addresses of their files; with 0, only settle them.

    A batch for a retryable *call* is stored as its answer, which a retry gets.
    Raises `Conflict` where replies are pushed, and `IdempotencyMismatch`.
    """
    if call is not None:
        # Checked here as well as before: the first call may have run concurrently.
        before = idempotency.first_answer(tx.conn, call, tx.now)
        if before is not None:
            return ToolResult(before, replayed=True)
    connection = connections.find(tx.conn, connection_id)
    if connection.delivery != "pull":
        raise Conflict("this connection's replies are pushed")
    batch = reply_batches.hand_out(tx, connection, limit, address_of)
    if call is not None and batch.replies:
        answer = msgspec.json.encode(PulledReplies(replies=batch.replies, more=batch.more))
        idempotency.keep(tx, call, answer)
    return batch


def load(tx: Tx, connection_id: str, limit: int, address_of: AddressOf | None = None) -> PushBatch:
    """Take at most *limit* pushes, tests first, with addresses of their files, and settle the replies."""
    connection, sealed_secrets = signing_secrets.find_to_push(tx.conn, connection_id, tx.now)
    if connection.delivery == "pull":
        settled = reply_batches.hand_out(tx, connection, 0)
        return PushBatch(organization_id=connection.organization_id, delivery="pull", next_at=settled.next_at)
    if connection.status == "removed":
        return PushBatch(organization_id=connection.organization_id, delivery="push")
    tests = deliveries.begin_tests(tx, connection_id, limit)
    batch = reply_batches.hand_out(tx, connection, limit - len(tests), address_of)
    pushed = [
        Push(
            delivery_id=deliveries.of_reply(tx, connection.organization_id, connection_id, reply.reply_id),
            reply=reply,
        )
        for reply in batch.replies
    ]
    return PushBatch(
        organization_id=connection.organization_id,
        delivery="push",
        url=connection.url or "",
        contract=connection.contract,
        sealed_secrets=sealed_secrets,
        pushes=(*(Push(delivery_id=test) for test in tests), *pushed),
        more=batch.more,
        next_at=batch.next_at,
    )


def give_back(tx: Tx, connection_id: str, pushes: Iterable[Push]) -> None:
    """Undo the load of pushes that were not sent."""
    for push in pushes:
        if push.reply is None:
            deliveries.give_back_test(tx, push.delivery_id)
        else:
            replies.give_back(tx, connection_id, push.reply.reply_id, push.reply.attempt)


def note_push(tx: Tx, connection_id: str, push: Push, attempt: AttemptOutcome) -> None:
    """Store the result of a push: a reply that it reached is done, another is scheduled for a retry.

    An address that is gone pauses the connection.
    """
    reply = push.reply
    is_test = reply is None
    deliveries.note(tx, push.delivery_id, attempt, done=attempt.reached or is_test, with_answer=is_test)
    if is_test:
        connection = connections.find(tx.conn, connection_id)
        tx.announce(ResourceChanged(connection.organization_id, "connection", connection_id))
    if reply is not None and attempt.reached:
        replies.note_reached(tx, connection_id, reply.reply_id)
    elif reply is not None:
        replies.note_not_reached(tx, connection_id, reply.reply_id, reply.attempt, attempt.retry_after_ms)
    if not attempt.gone:
        return
    connection = connections.find(tx.conn, connection_id)
    if connection.status != "removed":
        source = channel_source(connection_id)
        connections.pause(tx, connection.organization_id, connection_id, "gone", source=source)


def send_test(tx: Tx, organization_id: str, connection_id: str) -> str:
    """Have a `ping` pushed at once, and return its delivery id.

    Raises `NotFound`, and `Conflict` where the bridge pulls, or another test is under way.
    """
    connection = connections.get(tx.conn, organization_id, connection_id)
    if connection.delivery != "push":
        raise Conflict("this connection's bridge pulls: nothing is pushed to it")
    test = deliveries.add_test(tx, organization_id, connection_id)
    tx.announce(OutboxChanged(connection_id))
    return test


def due(conn: sa.Connection, until: int) -> list[str]:
    """The connections that have something to push, or to give up on by *until*."""
    return sorted({*reply_batches.connections_due(conn, until), *deliveries.connections_with_tests(conn)})
