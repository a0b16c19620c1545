"""The channel doors: what a messenger's bridge may say and ask with its channel key.

What it says is written down at once, several bridges' words to a commit; only what it takes goes through its
Outbox.
"""

from collections.abc import Awaitable, Callable
from math import inf
from typing import Any, Final, NamedTuple

import msgspec
import trio

from svc.actors.channels.outbox import Outbox
from svc.actors.system import System
from svc.actors.wakeups import Wakeup
from svc.domain import json_input
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
from svc.domain.errors import NotFound, TooManyAttempts, Unauthenticated
from svc.domain.limits import CHANNEL_CALLS_MAX, PULLS_WAITING_MAX
from svc.domain.times import SECOND_MS
from svc.domain.tool_results import ToolResult
from svc.services import in_flight
from svc.storage import idempotency
from svc.storage.channels import connections, conversations, messages
from svc.storage.channels.keys import ChannelRoute
from svc.storage.channels.reply_batches import PulledBatch
from svc.storage.idempotency import Repeatable
from svc.storage.store import Tx

WaitGone = Callable[[], Awaitable[None]]

PULL: Final = "channel.outbox.pull"

SHORTEST_WAIT_SECONDS: Final = 0.001
"""Before what time was to change is looked for again."""

_NONE_YET: Final = PulledReplies(replies=(), more=False)


def _receive(tx: Tx, bridge: ChannelRoute, told: InboundMessage) -> MessageReceived:
    return messages.receive(tx, bridge.organization_id, bridge.connection_id, told)


def _identify(tx: Tx, bridge: ChannelRoute, told: Identification) -> EvidenceReceived:
    conversations.identify(tx, bridge.organization_id, bridge.connection_id, told)
    return EvidenceReceived()


def _note_status(tx: Tx, bridge: ChannelRoute, told: StatusReport) -> StatusNoted:
    return messages.note_status(tx, bridge.connection_id, told)


def _note_health(tx: Tx, bridge: ChannelRoute, told: HealthReport) -> HealthNoted:
    connections.note_health(tx, bridge.organization_id, bridge.connection_id, told)
    return HealthNoted(state=told.state)


class _Door(NamedTuple):
    decoder: "msgspec.json.Decoder[Any]"
    write: Callable[[Tx, ChannelRoute, Any], msgspec.Struct] | None
    """What it does, in one unit of work; None for the one that goes through the Outbox."""


_DOORS: Final = {
    "channel.message.receive": _Door(msgspec.json.Decoder(InboundMessage), _receive),
    "channel.conversation.identify": _Door(msgspec.json.Decoder(Identification), _identify),
    "channel.message.status": _Door(msgspec.json.Decoder(StatusReport), _note_status),
    "channel.connection.report": _Door(msgspec.json.Decoder(HealthReport), _note_health),
    PULL: _Door(msgspec.json.Decoder(Pull), None),
}


class _Said(NamedTuple):
    """What was said at which door, and whether it may be said again."""

    name: str
    told: ChannelInput
    call: Repeatable | None = None


async def admit(system: System, key: str | None) -> ChannelRoute:
    """The bridge that calls with *key*. Raises `Unauthenticated`."""
    bridge = None if key is None else await system.channel_keys.find(digest(key))
    if bridge is None:
        raise Unauthenticated
    return bridge


async def count_call(system: System, bridge: ChannelRoute) -> None:
    """Count a call of *bridge*. Raises `TooManyAttempts` for one that is too many, and is not counted."""
    now = system.clock.now()
    room_at = system.channel_calls.next_room_at(bridge.id, now)
    if room_at is not None:
        async with system.admissions.of(bridge.id):
            await trio.lowlevel.checkpoint()
        raise TooManyAttempts(
            f"more than {CHANNEL_CALLS_MAX} calls in a minute", retry_after_ms=room_at - now
        )
    system.channel_calls.add(bridge.id, now)


def check_door(name: str) -> None:
    """Raises `NotFound` for what is none of the five."""
    if name not in _DOORS:
        raise NotFound("there is no such channel door")


def read(name: str, body: bytes) -> ChannelInput:
    """What is said at a door. Raises `MalformedJson`, and `InvalidInput` for another shape."""
    told: ChannelInput = json_input.read(_DOORS[name].decoder, body)
    if b"\\u0000" in body:  # JSON has no other way to say it
        json_input.check_storable(told)
    return told


async def call(
    system: System,
    bridge: ChannelRoute,
    name: str,
    told: ChannelInput,
    *,
    key: str | None,
    wait_gone: WaitGone,
) -> ToolResult:
    """What the door answers, when it is on disk; the first answer for what comes again under a *key*.

    *wait_gone* ends when the bridge no longer waits for it.

    Raises what the door refuses, `Unavailable`, and `IdempotencyInProgress` and `IdempotencyMismatch`.
    """
    if key is None:
        return await _call(system, bridge, _Said(name, told), wait_gone)
    in_flight.check_key(key)
    with in_flight.alone(system, bridge.organization_id, bridge.id, name, key):
        repeatable = idempotency.repeatable(bridge.organization_id, bridge.id, name, key, told)
        return await _call(system, bridge, _Said(name, told, repeatable), wait_gone)


async def _call(system: System, bridge: ChannelRoute, said: _Said, wait_gone: WaitGone) -> ToolResult:
    if isinstance(said.told, Pull):
        return await _pull(system, bridge, said.told, said.call, wait_gone)
    async with system.writes.of(bridge.organization_id):
        return await system.store.of(bridge.organization_id).write(_write, bridge, said)


def _write(tx: Tx, bridge: ChannelRoute, said: _Said) -> ToolResult:
    write = _DOORS[said.name].write
    assert write is not None  # noqa: S101  # pulls go another way
    return idempotency.once(tx, said.call, lambda: write(tx, bridge, said.told))


async def _pull(
    system: System, bridge: ChannelRoute, asked: Pull, call: Repeatable | None, wait_gone: WaitGone
) -> ToolResult:
    units = system.store.of(bridge.organization_id)
    if call is not None:
        before = await units.read(idempotency.first_answer, call, system.clock.now())
        if before is not None:
            return ToolResult(before, replayed=True)
    handed = await _wait_for_replies(system, bridge.connection_id, asked, call, wait_gone)
    if isinstance(handed, ToolResult):
        return handed
    if handed.replies:
        return ToolResult(msgspec.json.encode(PulledReplies(replies=handed.replies, more=handed.more)))
    if call is None:
        return ToolResult(msgspec.json.encode(_NONE_YET))
    return await units.write(idempotency.once, call, lambda: _NONE_YET)


async def _wait_for_replies(
    system: System, connection_id: str, asked: Pull, call: Repeatable | None, wait_gone: WaitGone
) -> PulledBatch | ToolResult:
    """What there is to take, as soon as there is something, within the time that was asked for.

    Nothing is taken for who has left: it would be held for a minute, for nobody.
    """
    outbox = Outbox(system, connection_id)
    until = trio.current_time() + asked.wait_seconds  # whatever is done to the clock meanwhile
    if not asked.wait_seconds or system.wakeups.waiting(connection_id) >= PULLS_WAITING_MAX:
        return await outbox.pull(asked.limit, call)
    with system.wakeups.register(
        connection_id
    ) as wakeup:  # before the first look, so that no notification is missed
        handed = await outbox.pull(asked.limit, call)
        while trio.current_time() < until and not system.wakeups.closed:
            if isinstance(handed, ToolResult) or handed.replies:
                break
            next_seconds = ((handed.next_at or inf) - system.clock.now()) / SECOND_MS
            seconds = min(until - trio.current_time(), max(next_seconds, SHORTEST_WAIT_SECONDS))
            if await _has_gone(wait_gone, wakeup, seconds):
                break
            handed = await outbox.pull(asked.limit, call)
    return handed


async def _has_gone(wait_gone: WaitGone, bell: Wakeup, seconds: float) -> bool:
    """Wait for the bell at most so long; whether the bridge left meanwhile."""
    gone = False
    async with trio.open_nursery() as nursery:

        async def watch() -> None:
            nonlocal gone
            await wait_gone()
            gone = True
            nursery.cancel_scope.cancel()

        nursery.start_soon(watch)
        await bell.wait(seconds)
        nursery.cancel_scope.cancel()
    return gone
