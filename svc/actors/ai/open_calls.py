"""Calls of the gateway that are under way, and what ends them from outside: a revoked key, a stop.

A streamed answer may run for minutes, so admission at its start is not enough: access is checked again while
it runs, whenever it was changed, and the expiry of its key with it.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final, Literal

import structlog
import trio

from svc.actors.revisions import Revisions
from svc.clock import Clock
from svc.domain.errors import DomainError, Forbidden, NotFound, Unauthenticated, Unavailable
from svc.domain.identity.access import Access, admit_again
from svc.domain.identity.callers import Caller, permit_models
from svc.storage.identity import access
from svc.storage.store import Store

log = structlog.get_logger("svc.actors.ai.open_calls")

CHECK_SECONDS: Final = 0.5
"""Interval of the checks, so that a key that is revoked ends its calls within a second."""
STOP_SECONDS: Final = 5.0
"""How long calls under way may go on once the service stops: half of what its requests have by default."""

_STOPS: Final = "the service is shutting down"

Interruption = Literal["revoked", "stopped"]


class OpenCall:
    """A call under way. `scope` is cancelled to end it, and `interruption` says why."""

    __slots__ = ("_outlasting", "access_revision", "caller", "error", "interruption", "scope")

    def __init__(self, caller: Caller) -> None:
        self.caller: Final = caller
        self.scope: Final = trio.CancelScope()
        self.interruption: Interruption | None = None
        self.error: DomainError | None = None
        """What the client is told of the interruption."""
        self._outlasting: trio.CancelScope | None = None
        self.access_revision = caller.access_revision or 0
        """The revision of the organization's access that it was last checked with."""

    def outlast_client(self, seconds: float) -> trio.CancelScope:
        """A scope that goes on for so long although the client has left, until the call is interrupted."""
        self._outlasting = scope = trio.CancelScope(deadline=trio.current_time() + seconds, shield=True)
        if self.interruption is not None:
            scope.cancel()
        return scope

    def interrupt(self, interruption: Interruption, error: DomainError) -> None:
        """End the call, and tell its client the *error*."""
        if self.interruption is None:
            self.interruption, self.error = interruption, error
            self.scope.cancel()
            if self._outlasting is not None:
                self._outlasting.cancel()


class OpenCalls:
    """The calls under way. `live` runs the checks."""

    def __init__(
        self, store: Store, clock: Clock, access_revisions: Revisions, stop_seconds: float = STOP_SECONDS
    ) -> None:
        self._store, self._clock, self._access_revisions = store, clock, access_revisions
        self._stop_seconds = stop_seconds
        self._calls: dict[OpenCall, None] = {}
        self._stopping = trio.Event()

    def __len__(self) -> int:
        return len(self._calls)

    @contextmanager
    def hold(self, caller: Caller) -> Iterator[OpenCall]:
        """Have the call of *caller* in the block ended when it has to be. Raises `Unavailable` at a stop."""
        if self._stopping.is_set():
            raise Unavailable(_STOPS)
        call = OpenCall(caller)
        self._calls[call] = None
        try:
            with call.scope:
                yield call
        finally:
            del self._calls[call]

    def stop(self) -> None:
        """Accept no further call, and end those under way that have not ended after a while."""
        self._stopping.set()

    @asynccontextmanager
    async def live(self) -> AsyncIterator[None]:
        """Check the calls until the end of the block."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._check_for_ever)
            nursery.start_soon(self._end_at_stop)
            yield
            nursery.cancel_scope.cancel()

    async def check(self) -> None:
        """End the calls whose callers would not be admitted any more."""
        now, due = self._clock.now(), dict[str, list[OpenCall]]()
        for call in self._calls:
            organization_id, expires_at = call.caller.organization_id, call.caller.expires_at
            if expires_at is not None and now >= expires_at:
                call.interrupt("revoked", Unauthenticated())
            elif self._access_revisions.changed(organization_id, call.access_revision):
                due.setdefault(organization_id, []).append(call)
        for organization_id, calls in due.items():
            revision = self._access_revisions.last
            try:
                current = await self._store.of(organization_id).read(access.load, organization_id, now)
            except (Unavailable, NotFound) as error:
                log.warning("AI calls under way are not checked", why=error)
                continue
            for call in calls:
                self._check_one(call, current, now)
                call.access_revision = revision

    def _check_one(self, call: OpenCall, current: Access, now: int) -> None:
        try:
            permit_models(admit_again(current, call.caller, now))
        except (Unauthenticated, Forbidden) as error:
            call.interrupt("revoked", error)

    async def _check_for_ever(self) -> None:
        while True:
            await trio.sleep(CHECK_SECONDS)
            await self.check()

    async def _end_at_stop(self) -> None:
        await self._stopping.wait()
        await trio.sleep(self._stop_seconds)
        for call in [*self._calls]:
            call.interrupt("stopped", Unavailable(_STOPS))
