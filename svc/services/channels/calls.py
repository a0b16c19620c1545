"""The channel doors: what a messenger's bridge may report and pull with its channel key.

Reports are written to the store directly, many to a commit; only pulls go through the connection's Outbox.
"""

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack, suppress
from math import inf
from typing import Any, Final, NamedTuple

import msgspec
import trio

from svc.actors.channels.outbox import Outbox
from svc.actors.system import System
from svc.domain.channels.attachments import content_of
from svc.domain.channels.limits import CHANNEL_CALLS_MAX, PULLS_WAITING_MAX
from svc.domain.channels.messages import (
    ChannelInput,
    EvidenceReceived,
    HealthNoted,
    HealthReport,
    Identification,
    InboundMessage,
    MessageReceived,
    Pull,
    PulledReplies,
    StatusNoted,
    StatusReport,
)
from svc.domain.crypto.keys import digest
from svc.domain.errors import NotFound, TooManyAttempts, Unauthenticated, Unavailable
from svc.domain.files.files import clean_name
from svc.domain.input import json as json_input
from svc.domain.locale.times import SECOND_MS
from svc.domain.tool_results import ToolResult
from svc.services import files
from svc.services.tools import in_flight
from svc.services.tools.long_polls import WaitGone, has_gone
from svc.storage import idempotency
from svc.storage.agent import due
from svc.storage.channels import connections, conversations, messages
from svc.storage.channels.keys import ChannelRoute
from svc.storage.channels.reply_batches import PulledBatch
from svc.storage.files.files import NewFile
from svc.storage.idempotency import Repeatable
from svc.storage.store import Tx

PULL: Final = "channel.outbox.pull"

SHORTEST_WAIT_SECONDS: Final = 0.001
"""The shortest wait between two pulls: a reply that is due in less is not polled for in a busy loop."""

_NONE_YET: Final = PulledReplies(replies=(), more=False)


def _receive(
    tx: Tx, bridge: ChannelRoute, message: InboundMessage, contents: Mapping[int, NewFile] = {}
) -> MessageReceived:
    received = messages.receive(tx, bridge.organization_id, bridge.connection_id, message, contents)
    if message.direction == "in" and not received.duplicate:
        due.note_message(tx, bridge.connection_id, received.conversation)
    return received


def _identify(tx: Tx, bridge: ChannelRoute, identification: Identification) -> EvidenceReceived:
    conversations.identify(tx, bridge.organization_id, bridge.connection_id, identification)
    return EvidenceReceived()


def _note_status(tx: Tx, bridge: ChannelRoute, report: StatusReport) -> StatusNoted:
    return messages.note_status(tx, bridge.connection_id, report)


def _note_health(tx: Tx, bridge: ChannelRoute, report: HealthReport) -> HealthNoted:
    connections.note_health(tx, bridge.organization_id, bridge.connection_id, report)
    return HealthNoted(state=report.state)


class _Door(NamedTuple):
    decoder: "msgspec.json.Decoder[Any]"
    write: Callable[[Tx, ChannelRoute, Any], msgspec.Struct] | None
    """Runs in one unit of work; None for the door that goes through the Outbox."""


_DOORS: Final = {
    "channel.message.receive": _Door(msgspec.json.Decoder(InboundMessage), _receive),
    "channel.conversation.identify": _Door(msgspec.json.Decoder(Identification), _identify),
    "channel.message.status": _Door(msgspec.json.Decoder(StatusReport), _note_status),
    "channel.connection.report": _Door(msgspec.json.Decoder(HealthReport), _note_health),
    PULL: _Door(msgspec.json.Decoder(Pull), None),
}


class _Call(NamedTuple):
    """A request at a door, repeatable if it has an idempotency key."""

    name: str
    request: ChannelInput
    repeatable: Repeatable | None = None


async def admit(system: System, key: str | None) -> ChannelRoute:
    """The bridge that calls with *key*. Raises `Unauthenticated`."""
    bridge = None if key is None else await system.channels.keys.find(digest(key))
    if bridge is None:
        raise Unauthenticated
    return bridge


async def count_call(system: System, bridge: ChannelRoute) -> None:
    """Count a call of *bridge*. Raises `TooManyAttempts` over the limit, and does not count that call."""
    now = system.clock.now()
    room_at = system.channels.calls.next_room_at(bridge.id, now)
    if room_at is not None:
        async with system.calls.admissions.of(bridge.id):
            await trio.lowlevel.checkpoint()
        raise TooManyAttempts(
            f"more than {CHANNEL_CALLS_MAX} calls in a minute", retry_after_ms=room_at - now
        )
    system.channels.calls.add(bridge.id, now)
    _note_use(system, bridge, now)


def _note_use(system: System, bridge: ChannelRoute, now: int) -> None:
    """Have the use of the key noted, once a minute: no call waits for that, or fails by it."""
    noted = system.channels.noted_uses
    if noted.next_room_at(bridge.id, now) is None:
        noted.add(bridge.id, now)
        with suppress(Unavailable):
            Outbox(system, bridge.connection_id).note_use.tell(bridge, now)


def is_door(name: str) -> bool:
    """Whether there is a channel door called *name*."""
    return name in _DOORS


def check_door(name: str) -> None:
    """Raises `NotFound` for a name that is no channel door."""
    if not is_door(name):
        raise NotFound("there is no such channel door")


def read(name: str, body: bytes) -> ChannelInput:
    """Decode the request at a door. Raises `MalformedJson`, and `InvalidInput` for another shape."""
    request: ChannelInput = json_input.read(_DOORS[name].decoder, body)
    if b"\\u0000" in body:  # JSON has no other way to say it
        json_input.check_storable(request)
    return request


async def call(
    system: System,
    bridge: ChannelRoute,
    name: str,
    request: ChannelInput,
    *,
    key: str | None,
    wait_gone: WaitGone,
) -> ToolResult:
    """Run a call, and answer once it is on disk; a repeat under the same *key* gets the first answer.

    *wait_gone* returns when the bridge has disconnected.

    Raises:
        DomainError: the call is refused.
        IdempotencyInProgress, IdempotencyMismatch: the *key* is in use, or was used for another call.
        Unavailable: the call cannot be served now.
    """
    if key is None:
        return await _call(system, bridge, _Call(name, request), wait_gone)
    idempotency.check_key(key)
    with in_flight.exclusive(system, bridge.organization_id, bridge.id, name, key):
        repeatable = idempotency.repeatable(bridge.organization_id, bridge.id, name, key, request)
        return await _call(system, bridge, _Call(name, request, repeatable), wait_gone)


async def _call(system: System, bridge: ChannelRoute, call: _Call, wait_gone: WaitGone) -> ToolResult:
    if isinstance(call.request, Pull):
        return await _pull(system, bridge, call.request, call.repeatable, wait_gone)
    if isinstance(call.request, InboundMessage):
        contents = {
            place: content
            for place, attachment in enumerate(call.request.attachments)
            if (content := content_of(attachment)) is not None
        }
        if contents:
            return await _receive_with(system, bridge, call, call.request, contents)
    async with system.calls.writes.of(bridge.organization_id):
        return await system.store.of(bridge.organization_id).write(_write, bridge, call)


async def _receive_with(
    system: System, bridge: ChannelRoute, call: _Call, message: InboundMessage, contents: Mapping[int, bytes]
) -> ToolResult:
    """Receive a message, and keep the *contents* of its attachments as files, on the disk beforehand."""
    async with AsyncExitStack() as held:
        arrived = {}
        new = {}
        for place, content in contents.items():
            incoming = await held.enter_async_context(system.files.contents.receive())
            await incoming.write(content)
            facts = await incoming.finish()
            arrived[place] = (incoming, facts)
            name = clean_name(message.attachments[place].name)
            new[place] = NewFile(
                name=name, facts=facts, creator_kind="bridge", creator_id=bridge.connection_id
            )

        def write(tx: Tx) -> ToolResult:
            return idempotency.once(tx, call.repeatable, lambda: _receive(tx, bridge, message, new))

        async with (
            files.kept(system, bridge.organization_id, arrived.values()),
            system.calls.writes.of(bridge.organization_id),
        ):
            return await system.store.of(bridge.organization_id).write(write)


def _write(tx: Tx, bridge: ChannelRoute, call: _Call) -> ToolResult:
    write = _DOORS[call.name].write
    assert write is not None  # noqa: S101  # pulls go another way
    return idempotency.once(tx, call.repeatable, lambda: write(tx, bridge, call.request))


async def _pull(
    system: System, bridge: ChannelRoute, request: Pull, repeatable: Repeatable | None, wait_gone: WaitGone
) -> ToolResult:
    units = system.store.of(bridge.organization_id)
    if repeatable is not None:
        first_answer = await units.read(idempotency.first_answer, repeatable, system.clock.now())
        if first_answer is not None:
            return ToolResult(first_answer, replayed=True)
    pulled = await _wait_for_replies(system, bridge, request, repeatable, wait_gone)
    if isinstance(pulled, ToolResult):
        return pulled
    if pulled.replies:
        return ToolResult(msgspec.json.encode(PulledReplies(replies=pulled.replies, more=pulled.more)))
    if repeatable is None:
        return ToolResult(msgspec.json.encode(_NONE_YET))
    return await units.write(idempotency.once, repeatable, lambda: _NONE_YET)


async def _wait_for_replies(
    system: System, bridge: ChannelRoute, request: Pull, repeatable: Repeatable | None, wait_gone: WaitGone
) -> PulledBatch | ToolResult:
    """Long-poll the Outbox: return as soon as there are replies, or when the requested time is over.

    Where too many wait already, do not wait. Nothing is pulled for a bridge that has disconnected: its lease
    would hold the replies for a minute.
    """
    connection_id, places = bridge.connection_id, system.stream_places.polls
    outbox = Outbox(system, connection_id)
    until = trio.current_time() + request.wait_seconds  # monotonic, so changes of the clock do not matter
    crowded = system.wakeups.waiting(connection_id) >= PULLS_WAITING_MAX
    if not request.wait_seconds or crowded or not places.has_room(bridge.organization_id):
        return await outbox.pull(request.limit, repeatable)
    # Registered before the first pull, so that no notification is missed.
    with places.hold(bridge.organization_id), system.wakeups.register(connection_id) as wakeup:
        pulled = await outbox.pull(request.limit, repeatable)
        while trio.current_time() < until and not system.wakeups.closed:
            if isinstance(pulled, ToolResult) or pulled.replies:
                break
            next_seconds = ((pulled.next_at or inf) - system.clock.now()) / SECOND_MS
            seconds = min(until - trio.current_time(), max(next_seconds, SHORTEST_WAIT_SECONDS))
            if await has_gone(wait_gone, wakeup, seconds):
                break
            pulled = await outbox.pull(request.limit, repeatable)
    return pulled
