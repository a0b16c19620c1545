"""Bounds of attempts over all subscriptions, so that dead receivers leave the others their places."""

from collections.abc import Sequence

from svc.actors.fair_places import FairPlaces
from svc.actors.outbound.client import OutboundHttp
from svc.actors.request_pace import RequestPace
from svc.domain.rate_limits.keyed_windows import KeyedWindows
from svc.domain.webhooks.health import attempts_at_once
from svc.domain.webhooks.limits import (
    WEBHOOK_FAILING_AT_ONCE_MAX,
    WEBHOOK_SHARED_ATTEMPTS,
    WEBHOOK_SHARED_WINDOW_MS,
)


class AttemptPlaces:
    """How many attempts a subscription may have under way, as all of them together are.

    Receivers that hang hold each attempt for as long as it may take. When many of an organization stop
    answering at the same moment, each could have eight under way before it is known to be dead. So once an
    organization is crowded, each of its subscriptions gets one attempt at a time; and all whose last attempts
    all failed share a part of the places. And while requests are served, an organization begins a few at a
    time: a backlog of thousands, such as an import leaves, would be in the way of each of them. An import
    itself has the same of the deliveries that it brings about.
    """

    def __init__(self, outbound_http: OutboundHttp, requests: RequestPace) -> None:
        self._outbound_http = outbound_http
        self._requests = requests
        self._beside_requests = KeyedWindows(WEBHOOK_SHARED_WINDOW_MS, WEBHOOK_SHARED_ATTEMPTS)
        self._failing = FairPlaces(WEBHOOK_FAILING_AT_ONCE_MAX)
        self._imports_until: dict[str, int] = {}
        """Until when an import of an organization is taken to run: ms since the epoch."""

    def at_once(self, owner: str, reached: Sequence[bool]) -> int:
        """How many may be under way, after attempts that *reached* the receiver or not, the latest last.

        *owner* is the organization of the subscription.
        """
        at_once = attempts_at_once(reached)
        if at_once == 1:
            return int(self._failing.has_room(owner))
        return 1 if self._outbound_http.is_crowded(owner) else at_once

    def next_room_at(self, owner: str, now: int) -> int | None:
        """When the next attempt of an organization may begin; None if one may at *now*."""
        if not self._requests.is_shared() and self._imports_until.get(owner, 0) <= now:
            return None
        return self._beside_requests.next_room_at(owner, now)

    def note_import(self, owner: str, until: int) -> None:
        """Have the organization's attempts make way *until* then for an import of its own that runs."""
        self._imports_until[owner] = until

    def note_no_import(self, owner: str) -> None:
        """No import of the organization runs."""
        self._imports_until.pop(owner, None)

    def begin(self, owner: str, reached: Sequence[bool], now: int) -> "AttemptPlace":
        """The place of an attempt that begins at *now*, of a subscription with these last outcomes."""
        self._beside_requests.add(owner, now)
        is_failing = attempts_at_once(reached) == 1 and self._failing.try_acquire(owner)
        return AttemptPlace(self._failing if is_failing else None, owner)


class AttemptPlace:
    """The place of one attempt, taken until the block ends, or `end` is called instead of it."""

    __slots__ = ("_failing", "_owner")

    def __init__(self, failing: FairPlaces | None, owner: str) -> None:
        """*failing*: the places of which it has taken one, if it has."""
        self._failing = failing
        self._owner = owner

    def __enter__(self) -> None:
        """It was taken when it was made, before the attempt's task runs: others may ask meanwhile."""

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """Give it back."""
        if self._failing is not None:
            self._failing.release(self._owner)
