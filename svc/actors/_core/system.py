"""The actor system: the supervisors of all kinds, and the delivery of messages to actors."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from contextvars import copy_context
from typing import Any

import trio

from svc.actors._core.activation import Activation
from svc.actors._core.actor import Actor, Turn
from svc.actors._core.errors import AskCycle, Draining
from svc.actors._core.inspection import ActorInspection
from svc.actors._core.mailbox import Message
from svc.actors._core.membership import in_turn_of, member_of
from svc.actors._core.recorder import Words
from svc.actors._core.statistics import ActorStatistics, SystemStatistics
from svc.actors._core.supervisor import Supervisor
from svc.actors._core.survey import Selection, Survey, survey
from svc.actors._core.tracing import Traces
from svc.request_id import request_id
from svc.telemetry.spans import Tracer, current_span
from svc.wait_guard import is_requested


class ActorSystem:
    """The actor system. A subclass has the resources that turns may use, such as a store."""

    def __init__(self, kinds: Sequence[type[Actor[Any, Any]]]) -> None:
        """*kinds* start in this order, and stop in reverse."""
        self._kinds = kinds
        self._supervisors: dict[type[Actor[Any, Any]], Supervisor] = {}
        self._quiesced = False
        self._drained = trio.Event()
        self._departures = trio.lowlevel.ParkingLot()
        self.recorded_words = Words()
        """The names in the recorders of all actors."""
        self.traces = Traces()
        self.tracer: Tracer | None = None
        """Records spans of turns, where traces are exported; set before the system is live."""

    @asynccontextmanager
    async def live(self) -> AsyncIterator[None]:
        """Run actors until the block ends; then cancel those that were not drained.

        A crash of an actor with `escalate` cancels the block, and its error is raised here.
        """
        context = copy_context()
        async with AsyncExitStack() as stack:
            for kind in self._kinds:
                nursery = await stack.enter_async_context(_open_nursery())
                supervisor = self._supervisors[kind] = Supervisor(self, kind, nursery, context)
                stack.callback(supervisor.end)
            yield

    def quiesce(self) -> None:
        """Start no new work: drop all timers, arm none, and start no tasks.

        Messages are still accepted, and running work continues. This is final: it is the first part of the
        shutdown, while requests are still answered.
        """
        self._quiesced = True
        for supervisor in self._supervisors.values():
            for activation in supervisor.live.values():
                activation.quiesce()

    async def drain(self, seconds: float) -> list[str]:
        """Quiesce, reject messages from outside, and let every actor process its mailbox and stop.

        Actors may still ask one another. Returns the names of those that are not done after *seconds*.
        """
        self.quiesce()
        self._drained.set()
        for supervisor in self._supervisors.values():
            for activation in supervisor.live.values():
                activation.incarnation.wake()
        with trio.move_on_after(seconds):
            while any(supervisor.live for supervisor in self._supervisors.values()):
                await self._departures.park()
        return sorted(
            f"{kind.__name__}({key!r})" for kind, one in self._supervisors.items() for key in one.live
        )

    @property
    def quiesced(self) -> bool:
        """Whether the system is shutting down, and starts no unrequested work."""
        return self._quiesced

    @property
    def draining(self) -> bool:
        return self._drained.is_set()

    async def sleep_unless_draining(self, seconds: float) -> None:
        """Sleep, or return early when the system starts to drain."""
        with trio.move_on_after(seconds):
            await self._drained.wait()

    def note_departure(self) -> None:
        """Note that an actor has left the directory."""
        self._departures.unpark_all()

    def is_active(self, kind: type[Actor[Any, Any]], key: str) -> bool:
        return key in self._supervisors[kind].live

    @property
    def kinds(self) -> list[str]:
        """The class names of all kinds."""
        return [kind.__name__ for kind in self._kinds]

    async def survey(self, selection: Selection | None = None) -> Survey:
        """As `statistics` and `actors`, but in slices between which other tasks run."""
        return await survey(self._supervisors.values(), selection)

    def statistics(self) -> SystemStatistics:
        return SystemStatistics(
            draining=self.draining, kinds=[one.statistics() for one in self._supervisors.values()]
        )

    def actors(self, kind: str | None = None) -> list[ActorStatistics]:
        """All active and quarantined actors, or only those of *kind*, a class name."""
        return [
            actor
            for one, supervisor in self._supervisors.items()
            if kind is None or kind == one.__name__
            for actor in supervisor.actors()
        ]

    def seen(self, kind: str, key: str) -> ActorStatistics | None:
        """An active or quarantined actor, by the class name of its kind; None if there is none."""
        return next((two.seen(key) for one, two in self._supervisors.items() if one.__name__ == kind), None)

    def inspect(self, kind: str, key: str) -> ActorInspection | None:
        """As `seen`, with all that is known of the actor."""
        return next(
            (two.inspect(key) for one, two in self._supervisors.items() if one.__name__ == kind), None
        )

    def passivate(self, kind: str, key: str) -> str | None:
        """Passivate an idle actor before its time. Returns why it was not done, if so."""
        live = next(
            (two.live.get(key) for one, two in self._supervisors.items() if one.__name__ == kind), None
        )
        return "it is not active" if live is None else live.incarnation.leave_early()

    def restart(self, kind: str, key: str) -> str | None:
        """Restart an actor: what it runs is cancelled, which counts as a crash. Returns why not, if so."""
        supervisors = [two for one, two in self._supervisors.items() if one.__name__ == kind]
        live = supervisors[0].live.get(key) if supervisors else None
        if live is None:
            return "it is not active"
        if live.policy.escalate:
            return "the whole service would end with it"
        return live.incarnation.restart()

    def release(self, kind: str, key: str) -> str | None:
        """End a quarantine before its time. Returns why it was not done, if so."""
        supervisors = [two for one, two in self._supervisors.items() if one.__name__ == kind]
        return supervisors[0].release(key) if supervisors else "it is not quarantined"

    def actor(self, kind: str, key: str) -> Actor[Any, Any] | None:
        """The address of an active actor, by the class name of its kind; None if there is none."""
        for one, supervisor in self._supervisors.items():
            if one.__name__ == kind and key in supervisor.live:
                return one(self, key)
        return None

    async def _ask(
        self,
        actor: Actor[Any, Any],
        asked: Turn[Any, ..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        await trio.lowlevel.checkpoint_if_cancelled()
        target = self._admit(actor)
        message = Message(
            asked,
            args,
            kwargs,
            trio.current_time(),
            requested=is_requested(),
            request_id=request_id(),
            sent_in=current_span(),
        )
        asking = in_turn_of()
        if asking is None:
            target.post(message)
            return await message.wait_answered()
        if target.reaches(asking):
            raise AskCycle(f"{actor!r} waits for the actor that asks it")
        asking.waits_for.append(target)
        try:
            target.post(message)
            return await message.wait_answered()
        finally:
            asking.waits_for.remove(target)

    def _tell(
        self,
        actor: Actor[Any, Any],
        told: Turn[Any, ..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> None:
        self._admit(actor).post(_told(told, args, kwargs))

    def _tell_if_active(
        self,
        actor: Actor[Any, Any],
        told: Turn[Any, ..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> bool:
        activation = self._supervisors[type(actor)].live.get(actor.key)
        if activation is None:
            return False
        activation.post(_told(told, args, kwargs))
        return True

    def _admit(self, actor: Actor[Any, Any]) -> Activation:
        sender = member_of()
        if sender is None and self._drained.is_set():
            raise Draining("the system is shutting down")
        kind = type(actor)
        own = sender is not None and sender.key == actor.key and type(sender.actor) is kind
        return self._supervisors[kind].admit(actor.key, own=own)


def _told(told: Turn[Any, ..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Message:
    return Message(told, args, kwargs, trio.current_time(), request_id=request_id(), sent_in=current_span())


@asynccontextmanager
async def _open_nursery() -> AsyncIterator[trio.Nursery]:
    """A nursery that raises a single error as it is, not in a group."""
    try:
        async with trio.open_nursery() as nursery:
            yield nursery
    except BaseExceptionGroup as group:
        if len(group.exceptions) > 1:
            raise
        lone = group.exceptions[0]
    else:
        return
    raise lone
