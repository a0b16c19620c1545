"""Traces: every turn of one actor from the moment on that an operator asks, within bounds."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import msgspec
import trio

from svc.actors._core.actor import Actor
from svc.actors._core.errors import Overcrowded
from svc.actors._core.mailbox import Message

TURNS_MAX: Final = 1_000
"""Turns in a trace, of less than 1 KiB each."""

TRACES_MAX: Final = 8
"""Traces of a system at a time; so all that wait to be read take less than 8 MiB."""

ARGUMENTS_MAX: Final = 8


class TracedTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A turn that was traced. Times are in seconds; `ended_at` is Trio's time."""

    turn: str
    arguments: list[str]
    """The type of each, and of those by name, the name."""
    ended_at: float
    request_id: str | None
    wait_seconds: float
    run_seconds: float
    outcome: str
    """As in the recorder."""


class Trace:
    """Turns of one actor on their way to whoever asked for them."""

    def __init__(self, turns: int) -> None:
        self._left = turns
        # There is room for all, so `note` never waits and nothing is lost.
        self._send, self.turns = trio.open_memory_channel[TracedTurn](turns)

    def note(self, message: Message, outcome: str, started_at: float, ended_at: float) -> None:
        if self._left == 0:
            return
        self._left -= 1
        request_id = message.request_id
        self._send.send_nowait(
            TracedTurn(
                turn=message.turn.name,
                arguments=_types(message.args, message.kwargs),
                ended_at=ended_at,
                request_id=None if request_id is None else request_id.decode("ascii"),
                wait_seconds=max(started_at - message.posted_at, 0.0),
                run_seconds=ended_at - started_at,
                outcome=outcome,
            )
        )
        if self._left == 0:
            self._send.close()

    def close(self) -> None:
        self._left = 0
        self._send.close()
        self.turns.close()


class Traces:
    """The traces of all actors of a system, by kind and key."""

    def __init__(self) -> None:
        self._by_actor: dict[tuple[str, str], list[Trace]] = {}

    def __bool__(self) -> bool:
        return bool(self._by_actor)

    def check_room(self) -> None:
        """Raises `Overcrowded` while `TRACES_MAX` are open."""
        if sum(map(len, self._by_actor.values())) >= TRACES_MAX:
            raise Overcrowded(f"{TRACES_MAX} traces are running")

    @contextmanager
    def open(self, kind: str, key: str, turns: int) -> Iterator[trio.MemoryReceiveChannel[TracedTurn]]:
        """The next *turns* of an actor, active or not, as they end; at most `TURNS_MAX`.

        Raises `Overcrowded` while `TRACES_MAX` are open.
        """
        self.check_room()
        trace = Trace(min(turns, TURNS_MAX))
        traces = self._by_actor.setdefault((kind, key), [])
        traces.append(trace)
        try:
            yield trace.turns
        finally:
            trace.close()
            traces.remove(trace)
            if not traces:
                del self._by_actor[kind, key]

    def note(
        self, actor: Actor[Any, Any], message: Message, outcome: str, started_at: float, ended_at: float
    ) -> None:
        """Add a turn of *actor* to its traces."""
        for trace in self._by_actor.get((type(actor).__name__, actor.key), ()):
            trace.note(message, outcome, started_at, ended_at)


def _types(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[str]:
    types = [type(value).__name__ for value in args]
    types += [f"{name}: {type(value).__name__}" for name, value in kwargs.items()]
    return types[:ARGUMENTS_MAX]
