"""Bounds of attempts over all subscriptions, so that dead receivers leave the others their places."""

from collections.abc import Sequence
from typing import Final

from svc.actors.outbound.client import OutboundHttp
from svc.domain.limits import OUTGOING_CONNECTIONS_MAX, WEBHOOK_FAILING_AT_ONCE_MAX
from svc.domain.webhooks.health import attempts_at_once

CROWDED: Final = OUTGOING_CONNECTIONS_MAX // 2
"""Requests in progress from which on each subscription has one attempt at a time."""


class AttemptPlaces:
    """How many attempts a subscription may have under way, as all of them together are.

    Receivers that hang hold each attempt for as long as it may take. When many stop answering at the same
    moment, each could have eight under way before it is known to be dead. So once half of the places for
    outgoing requests are taken, each subscription gets one attempt at a time; and those whose last attempts
    all failed share a part of the places.
    """

    def __init__(self, outbound_http: OutboundHttp) -> None:
        self._outbound_http = outbound_http
        self.failing = 0
        """Attempts under way of subscriptions whose last attempts all failed."""

    def at_once(self, reached: Sequence[bool]) -> int:
        """How many may be under way, after attempts that *reached* the receiver or not, the latest last."""
        at_once = attempts_at_once(reached)
        if at_once == 1 and self.failing >= WEBHOOK_FAILING_AT_ONCE_MAX:
            return 0
        return 1 if self._outbound_http.statistics().in_progress >= CROWDED else at_once

    def begin(self, reached: Sequence[bool]) -> "AttemptPlace":
        """The place of an attempt that begins, of a subscription with these last outcomes."""
        return AttemptPlace(self, is_failing=attempts_at_once(reached) == 1)


class AttemptPlace:
    """The place of one attempt, taken until the block ends, or `end` is called instead of it."""

    __slots__ = ("_failing", "_places")

    def __init__(self, places: AttemptPlaces, *, is_failing: bool) -> None:
        self._places = places
        self._failing = int(is_failing)
        places.failing += self._failing

    def __enter__(self) -> None:
        """It was taken when it was made, before the attempt's task runs: others may ask meanwhile."""

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """Give it back."""
        self._places.failing -= self._failing
