"""The addresses of host names: looked up within limits, shared fairly, and remembered for a short while.

A look-up holds its thread until the resolver gives up, which for a name without a name server takes half a
minute. So what counts in an organization's share is the thread and not the request, which gives up earlier.
"""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from ipaddress import ip_address
from socket import EAI_AGAIN, SOCK_STREAM, gaierror, getaddrinfo
from typing import Final, TypeAlias

import msgspec
import structlog
import trio

from svc.actors.fair_places import FairPlaces
from svc.actors.outbound.errors import NoPlace, NotSent
from svc.domain.errors import Unavailable
from svc.domain.net.client_addresses import Address
from svc.domain.net.limits import (
    OUTGOING_LOOKUP_SECONDS,
    OUTGOING_LOOKUPS_AT_ONCE,
    OUTGOING_NAME_FAILURE_SECONDS,
    OUTGOING_NAME_SECONDS,
    OUTGOING_NAMES_KEPT_MAX,
    OUTGOING_WAITING_MAX,
)

log = structlog.get_logger("svc.actors.outbound.names")

LookUp: TypeAlias = Callable[[str], Awaitable[Sequence[Address]]]
"""Looks a name up, and gives its addresses in the order in which to try them. Raises `OSError`."""

_ADDRESSES_KEPT_MAX: Final = 32
"""Of one name: an answer of 64 KB has thousands, of which no connection tries more than a few."""


class _Known(msgspec.Struct, frozen=True):
    """What came of a look-up, to be remembered *until* then, in Trio's time."""

    until: float
    addresses: tuple[Address, ...] = ()
    failure: str | None = None
    is_ours: bool = False
    """Whether the failure is none of the name's."""


class _Lookup:
    """A look-up that has a thread. Until *gives_up_at*, requests wait for it."""

    __slots__ = ("ended", "gives_up_at", "known")

    def __init__(self) -> None:
        self.gives_up_at = trio.current_time() + OUTGOING_LOOKUP_SECONDS
        self.ended = trio.Event()
        self.known: _Known | None = None


class ThreadedLookUp:
    """Looks names up by the system's resolver, in threads of its own: a `LookUp`."""

    def __init__(self) -> None:
        self._threads = trio.CapacityLimiter(OUTGOING_LOOKUPS_AT_ONCE)

    async def __call__(self, host: str) -> list[Address]:
        look_up = partial(getaddrinfo, host, None, type=SOCK_STREAM)
        # Abandoned when the program ends, and not before: the caller's share is that of the thread.
        found = await trio.to_thread.run_sync(look_up, limiter=self._threads, abandon_on_cancel=True)
        return [ip_address(str(address[0]).partition("%")[0]) for *_, address in found]


class NameLookups:
    """The look-ups of several clients, and what is remembered of them.

    At one moment a name is looked up once, whoever asks. Each organization has a share of the threads.
    """

    def __init__(self, look_up: LookUp | None = None) -> None:
        self._look_up = look_up or ThreadedLookUp()
        self._threads = FairPlaces(OUTGOING_LOOKUPS_AT_ONCE, FairPlaces(OUTGOING_WAITING_MAX))
        self._under_way: dict[str, _Lookup] = {}
        self._known: dict[str, _Known] = {}  # the oldest first

    async def addresses(
        self, host: str, owner: str, seconds: float = OUTGOING_LOOKUP_SECONDS
    ) -> Sequence[Address]:
        """The distinct addresses of *host*, in the resolver's order of preference.

        *owner* is the organization that chose the name. It waits at most *seconds* for a thread, and as long
        for the look-up. Raises `NotSent` if the name has no address or none was found in time, and `NoPlace`
        of these if it was not looked up, since too many names are.
        """
        known = self._known.get(host)
        if known is None or known.until <= trio.current_time():
            known = await self._answer(host, owner, min(seconds, OUTGOING_LOOKUP_SECONDS))
        if known.failure is not None:
            raise (NoPlace if known.is_ours else NotSent)(known.failure)
        return known.addresses

    def forget(self, host: str) -> None:
        """Look *host* up anew the next time: nothing listens at what is remembered of it."""
        self._known.pop(host, None)

    async def _answer(self, host: str, owner: str, seconds: float) -> _Known:
        """What the look-up of *host* finds, which is begun here unless it is under way."""
        lookup = self._under_way.get(host)
        if lookup is None:
            await self._acquire_thread(owner, seconds)
            lookup = self._under_way.get(host)
            if lookup is None:
                lookup = self._under_way[host] = _Lookup()
                # Of the system, since it may outlast the request, and then serves the next one.
                trio.lowlevel.spawn_system_task(self._run, host, owner, lookup)
            else:
                self._threads.release(owner)
        with trio.CancelScope(deadline=min(lookup.gives_up_at, trio.current_time() + seconds)):
            await lookup.ended.wait()
        if lookup.known is None:
            raise NotSent(f"no name server has told the name's address within {seconds:g} seconds")
        return lookup.known

    async def _acquire_thread(self, owner: str, seconds: float) -> None:
        try:
            with trio.fail_after(seconds):
                await self._threads.acquire(owner)
        except (Unavailable, trio.TooSlowError) as error:
            raise NoPlace("too many names are being looked up") from error

    async def _run(self, host: str, owner: str, lookup: _Lookup) -> None:
        """Look *host* up, and tell those that wait."""
        try:
            lookup.known = await self._find(host)
            self._remember(host, lookup.known)
        finally:
            del self._under_way[host]
            self._threads.release(owner)
            lookup.ended.set()

    async def _find(self, host: str) -> _Known:
        try:
            found = await self._look_up(host)
        except (OSError, UnicodeError) as error:
            return _Known(trio.current_time() + OUTGOING_NAME_FAILURE_SECONDS, failure=_reason(error))
        except (
            Exception
        ):  # of a system task, which would end the program: such as where no thread can be started
            log.exception("a name could not be looked up")
            return _Known(trio.current_time(), failure="the name could not be looked up", is_ours=True)
        addresses = tuple(dict.fromkeys(found))[:_ADDRESSES_KEPT_MAX]
        return _Known(trio.current_time() + OUTGOING_NAME_SECONDS, addresses)

    def _remember(self, host: str, known: _Known) -> None:
        self._known.pop(host, None)
        self._known[host] = known
        if len(self._known) > OUTGOING_NAMES_KEPT_MAX:
            del self._known[next(iter(self._known))]


def _reason(error: Exception) -> str:
    """Why a look-up failed, in words that may be shown to the user who entered the name."""
    if isinstance(error, gaierror) and error.errno == EAI_AGAIN:
        return "no name server has told the name's address"
    return "the name leads nowhere"
