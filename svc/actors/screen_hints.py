"""Live hints for screens: fed by the store's listener after each commit, read by open streams.

This is a plain buffer in memory and no actor: a hint costs a dictionary entry in the step that announces the
change, with no message and no task, and losing all of it costs each page one more request. Streams read it by
number (see `HintLog`), so none has a queue of its own.
"""

from collections import Counter, OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import trio

from svc.clock import Clock
from svc.domain.errors import Unavailable
from svc.domain.hints import Hint, HintLog
from svc.domain.limits import SCREEN_COMMENT_MS, SCREEN_RETRY_SECONDS, SCREEN_STREAMS_MAX
from svc.domain.locale.times import SECOND_MS

_LOGS_UNREAD_MAX: Final = 64
"""Logs kept of organizations that have no stream open now, for pages that reconnect."""
_NUMBERS_PER_MS: Final = 1_000
"""A new log starts at the time in ms, times this: so its numbers exceed those of every log before it."""
_LEAD_SECONDS_MIN: Final = 0.05
_LEAD_SECONDS_SPREAD: Final = 0.15
"""After a pause the first change is sent within 0.05 to 0.2 seconds, with those that come meanwhile."""
_JOIN_SECONDS_MIN: Final = 0.2
_JOIN_SECONDS_SPREAD: Final = 0.3
"""In a burst a stream sends every 0.2 to 0.5 seconds. Both times differ by stream, so that the streams of an
organization do not all send in one moment."""
_SPREAD_STEPS: Final = 16


class _OrganizationHints:
    """The log of one organization, its open streams, and those of them that wait for the next hint."""

    __slots__ = ("log", "streams", "waiting")

    def __init__(self, first: int) -> None:
        self.log = HintLog(first)
        self.streams: set[HintStream] = set()
        self.waiting: dict[HintStream, None] = {}

    def note(self, noun: str, id_: str | None) -> None:
        self.log.note(noun, id_)
        if self.waiting:
            waiting, self.waiting = self.waiting, {}
            now = trio.current_time()
            for stream in waiting:
                stream.hasten(now)


class HintStream:
    """One open stream: a place in the log of its organization."""

    __slots__ = (
        "_comment_at",
        "_join_seconds",
        "_joined_until",
        "_lead_seconds",
        "_number",
        "_of",
        "_scope",
        "must_recheck",
        "session_digest",
    )

    def __init__(self, of: _OrganizationHints, after: int | None, session_digest: str, place: int) -> None:
        self.session_digest: Final = session_digest
        self.must_recheck = False
        """Whether the session or the person's access may have ended since the last look."""
        self._of = of
        self._number = of.log.newest if after is None else after
        share = place % _SPREAD_STEPS / _SPREAD_STEPS
        self._lead_seconds = _LEAD_SECONDS_MIN + share * _LEAD_SECONDS_SPREAD
        self._join_seconds = _JOIN_SECONDS_MIN + share * _JOIN_SECONDS_SPREAD
        self._joined_until = 0.0  # before then, hints are joined for longer
        self._scope: trio.CancelScope | None = None
        self.sent()

    @property
    def number(self) -> int:
        """The number of the last hint that was taken."""
        return self._number

    @property
    def comment_due(self) -> bool:
        """Whether nothing was sent for so long that a comment has to be."""
        return trio.current_time() >= self._comment_at

    def sent(self) -> None:
        """Something was sent."""
        self._comment_at = trio.current_time() + SCREEN_COMMENT_MS / SECOND_MS

    async def wait(self) -> None:
        """Wait until there are hints to take, a comment is due, or `must_recheck` is set."""
        if self.must_recheck:
            return
        scope = self._scope = trio.CancelScope(deadline=self._comment_at)
        if self._of.log.newest != self._number:
            self.hasten(trio.current_time())
        else:
            self._of.waiting[self] = None
        try:
            with scope:
                await trio.sleep_forever()
        finally:
            self._scope = None
            self._of.waiting.pop(self, None)

    def take(self) -> list[Hint] | None:
        """The hints since the last time; None if some are forgotten, so that the page has to ask for all."""
        hints = self._of.log.since(self._number)
        if self._number != self._of.log.newest:
            self._number = self._of.log.newest
            self._joined_until = trio.current_time() + self._join_seconds
        return hints

    def hasten(self, now: float) -> None:
        """End the wait soon after a pause, and in a burst after the time in which hints are joined."""
        if self._scope is not None:
            due = max(now + self._lead_seconds, self._joined_until)
            self._scope.deadline = min(self._scope.deadline, due)

    def recheck(self) -> None:
        """End the wait at once, since the session or the access may have ended."""
        self.must_recheck = True
        if self._scope is not None:
            self._scope.cancel()


class ScreenHints:
    """The hints of all organizations that have, or recently had, a screen open."""

    def __init__(self, clock: Clock) -> None:
        self.closed = False
        """Whether the service is shutting down, so that every stream ends."""
        self._clock = clock
        self._organizations: OrderedDict[str, _OrganizationHints] = OrderedDict()
        self._streams_of: Counter[str] = Counter()
        self._by_session: dict[str, set[HintStream]] = {}
        self._opened = 0

    def note(self, organization_id: str, noun: str, id_: str | None) -> None:
        """A thing of the organization has changed. Costs a look-up where no screen is open."""
        organization = self._organizations.get(organization_id)
        if organization is not None:
            organization.note(noun, id_)

    def newest(self, organization_id: str) -> int:
        """The number of the last hint, from which a stream may go on; hints are kept from now on."""
        return self._of(organization_id).log.newest

    @contextmanager
    def open(
        self, organization_id: str, person_id: str, session_digest: str, after: int | None
    ) -> Iterator[HintStream]:
        """A stream of the hints after number *after*, or from now on.

        Raises `Unavailable` for more than `SCREEN_STREAMS_MAX` of one person, and while shutting down.
        """
        if self.closed:
            raise Unavailable("the service is shutting down")
        if self._streams_of[person_id] >= SCREEN_STREAMS_MAX:
            detail = f"you have {SCREEN_STREAMS_MAX} live screens open already"
            raise Unavailable(detail, retry_after_seconds=SCREEN_RETRY_SECONDS)
        organization = self._of(organization_id)
        self._opened += 1
        stream = HintStream(organization, after, session_digest, self._opened)
        organization.streams.add(stream)
        self._streams_of[person_id] += 1
        self._by_session.setdefault(session_digest, set()).add(stream)
        try:
            yield stream
        finally:
            organization.streams.discard(stream)
            self._streams_of[person_id] -= 1
            if not self._streams_of[person_id]:
                del self._streams_of[person_id]
            own = self._by_session[session_digest]
            own.discard(stream)
            if not own:
                del self._by_session[session_digest]

    def recheck_organization(self, organization_id: str) -> None:
        """The access of the organization's members has changed."""
        organization = self._organizations.get(organization_id)
        for stream in () if organization is None else tuple(organization.streams):
            stream.recheck()

    def recheck_sessions(self, digests: tuple[str, ...]) -> None:
        """These sessions were seen, confirmed or revoked."""
        for digest in digests:
            for stream in tuple(self._by_session.get(digest, ())):
                stream.recheck()

    def close(self) -> None:
        """End all streams, for the shutdown."""
        self.closed = True
        for organization_id in self._organizations:
            self.recheck_organization(organization_id)

    def statistics(self) -> int:
        """Streams that are open."""
        return self._streams_of.total()

    def _of(self, organization_id: str) -> _OrganizationHints:
        organization = self._organizations.get(organization_id)
        if organization is None:
            organization = _OrganizationHints(self._clock.now() * _NUMBERS_PER_MS)
            self._organizations[organization_id] = organization
            self._forget_unread()
        else:
            self._organizations.move_to_end(organization_id)
        return organization

    def _forget_unread(self) -> None:
        """Forget the logs without streams beyond `_LOGS_UNREAD_MAX`, the longest unused first."""
        if len(self._organizations) <= _LOGS_UNREAD_MAX:
            return
        unread = [id_ for id_, one in self._organizations.items() if not one.streams]
        for id_ in unread[: max(0, len(unread) - _LOGS_UNREAD_MAX)]:
            del self._organizations[id_]
