"""`/debug/live`: kinds, the first actors of a selection and what waits, once a second, over a WebSocket.

The first message of a subscription has all (`snapshot`), each later one what has changed (`delta`).
Nothing is computed while no socket is open, and at most a quarter of the time goes into it, however many are.
"""

from contextlib import suppress
from typing import Annotated, Any, Final, Literal

import msgspec
import trio
from quart import websocket

from svc.actors._core import Selection, Survey
from svc.actors._core.survey import LISTED_MAX, Sort
from svc.actors.system import System
from svc.domain.errors import Unavailable
from svc.http.operator.actors import row
from svc.http.operator.answers import to_json
from svc.services.operator.backlog import Waiting, WaitingNoun

EVERY_SECONDS: Final = 1.0
SOCKETS_MAX: Final = 20
MESSAGE_CHARACTERS_MAX: Final = 2_000
KEY_CHARACTERS_MAX: Final = 200

RESTS: Final = 3
"""After a survey, the next may begin when this many times its duration are over."""

SUBSCRIPTION_SECONDS_MIN: Final = 0.1
"""Between two messages, however often a client subscribes."""

# RFC 6455 section 7.4.1, and IANA's registry.
POLICY_VIOLATION: Final = 1008
TRY_AGAIN_LATER: Final = 1013

SESSION_OVER: Final = 4401
"""From the range for private use: the cookie has ended."""


class Subscription(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which actors a client wants to see, as `/debug/actors` has it."""

    kind: str | None = None
    key: Annotated[str, msgspec.Meta(max_length=KEY_CHARACTERS_MAX)] = ""
    sort: Sort = "trouble"
    limit: Annotated[int, msgspec.Meta(ge=1, le=LISTED_MAX)] = 50


class ClientMessage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a client may say."""

    subscribe: Subscription


class LiveMessage(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a client is told. A `delta` leaves out the kinds, actors and nouns that are as they were told."""

    type: Literal["snapshot", "delta"]
    at: int
    draining: bool
    kinds: list[dict[str, Any]]
    total: int
    """Actors that match the subscription."""
    order: list[str]
    """The listed actors, as `<kind>/<key>`, the first first."""
    actors: list[dict[str, Any]]
    waiting: list[dict[str, Any]] | None
    """What waits in the database, as `/debug/waiting` has it; null while it cannot be read."""


class _Known:
    """What a client was told of one subscription."""

    def __init__(self, subscription: Subscription) -> None:
        self.subscription = subscription
        self._kinds: dict[str, Any] | None = None
        self._actors: dict[str, Any] = {}
        self._waiting: dict[str, Any] = {}

    def message(
        self, survey: Survey, waiting: list[WaitingNoun] | None, *, at: int, draining: bool
    ) -> LiveMessage:
        """What is new to the client in *survey* and *waiting*."""
        kinds = {kind.kind: _kind(to_json(kind)) for kind in survey.kinds}
        actors = {f"{actor.kind}/{actor.key}": row(actor) for actor in survey.actors}
        before, self._kinds = self._kinds, kinds
        actors_before, self._actors = self._actors, actors
        nouns: dict[str, Any] = {noun.noun: to_json(noun) for noun in waiting or ()}
        nouns_before, self._waiting = self._waiting, nouns
        return LiveMessage(
            type="snapshot" if before is None else "delta",
            at=at,
            draining=draining,
            kinds=_changes(before or {}, kinds),
            total=survey.total,
            order=list(actors),
            actors=_changes(actors_before, actors),
            waiting=None if waiting is None else _changes(nouns_before, nouns),
        )


class LiveView:
    """The view, and the sockets that are open."""

    def __init__(self, system: System, waiting: Waiting) -> None:
        self._system = system
        self._waiting = waiting
        self._open = 0
        self._surveying = trio.Lock()

    async def show(self, ends_at: int | None) -> None:
        """Speak with the current WebSocket until its client leaves, or until *ends_at* (Unix ms)."""
        await websocket.accept()
        if self._open >= SOCKETS_MAX:
            await websocket.close(TRY_AGAIN_LATER, f"{SOCKETS_MAX} live views are open")
            return
        self._open += 1
        try:
            await _Session(self, self._system.kinds).run(self._seconds_until(ends_at))
        finally:
            self._open -= 1

    async def tell(self, known: _Known) -> None:
        """Send what is new since the last message of *known*."""
        survey = await self._survey(Selection(**msgspec.structs.asdict(known.subscription)))
        waiting = None
        with suppress(Unavailable):  # the actors are shown as well while the data cannot be read
            waiting = await self._waiting.read()
        message = known.message(survey, waiting, at=self._system.clock.now(), draining=self._system.draining)
        # The server bounds how long a client may leave this unread, and nothing is computed meanwhile.
        await websocket.send(msgspec.json.encode(message).decode())

    async def _survey(self, selection: Selection) -> Survey:
        async with self._surveying:
            began_at = trio.current_time()
            survey = await self._system.survey(selection)
            # Held while it rests, so that many sockets share what one may take.
            await trio.sleep(RESTS * (trio.current_time() - began_at))
            return survey

    def _seconds_until(self, ends_at: int | None) -> float:
        return float("inf") if ends_at is None else (ends_at - self._system.clock.now()) / 1000


class _Session:
    """One socket."""

    def __init__(self, view: LiveView, kinds: list[str]) -> None:
        self._view = view
        self._kinds = kinds
        self._known = _Known(Subscription())
        self._subscribed = trio.Event()

    async def run(self, seconds: float) -> None:
        with trio.move_on_after(seconds):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._tell)
                why = await self._listen()
                nursery.cancel_scope.cancel()
            await websocket.close(POLICY_VIOLATION, why)
            return
        await websocket.close(SESSION_OVER, "sign in again")

    async def _tell(self) -> None:
        while True:
            self._subscribed = trio.Event()
            await self._view.tell(self._known)
            await trio.sleep(SUBSCRIPTION_SECONDS_MIN)
            with trio.move_on_after(EVERY_SECONDS - SUBSCRIPTION_SECONDS_MIN):
                await self._subscribed.wait()

    async def _listen(self) -> str:
        """Take subscriptions; returns what was wrong with a message."""
        while True:
            text = await websocket.receive()
            if len(text) > MESSAGE_CHARACTERS_MAX:
                return "the message is too long"
            try:
                subscription = msgspec.json.decode(text, type=ClientMessage).subscribe
            except (msgspec.MsgspecError, UnicodeError):
                return "not a subscription"
            if subscription.kind is not None and subscription.kind not in self._kinds:
                return "there is no such kind"
            self._known = _Known(subscription)
            self._subscribed.set()


def _kind(told: dict[str, Any]) -> dict[str, Any]:
    del told["latency"], told["runs"]
    return told


def _changes(before: dict[str, Any], now: dict[str, Any]) -> list[dict[str, Any]]:
    return [value for name, value in now.items() if before.get(name) != value]
