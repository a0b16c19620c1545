"""The HTTP client for requests to addresses that users have entered, such as pushes.

It follows no redirect, keeps no cookie and uses no proxy. The answer is read within bounds, and one time
limit covers all of a request once its host's addresses are known: looking these up has a time of its own. Why
it is not httpx: `docs/decisions/0014-outgoing-requests.md`.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Final

import msgspec
import trio

from svc.actors.outbound.answer import Answer
from svc.actors.outbound.connection import Connection
from svc.actors.outbound.connector import Connector
from svc.actors.outbound.errors import NoAnswer, NotSent
from svc.actors.outbound.exchange import encode_post, exchange
from svc.actors.outbound.names import NameLookups
from svc.actors.outbound.pool import KeptConnections, Places
from svc.actors.outbound.retry_after import retry_after_ms
from svc.actors.outbound.target import Target, parse_target
from svc.domain.locale.times import SECOND_MS
from svc.domain.net.client_addresses import Network


class PostResult(msgspec.Struct, frozen=True):
    """What came of a request that was answered."""

    status: int
    retry_after_ms: int = 0
    milliseconds: int = 0
    """From the start of the attempt, which is after the wait for a place and for addresses, to the status."""
    answer: str = ""
    """The beginning of the body as text, without control characters."""


class OutboundStatistics(msgspec.Struct, frozen=True):
    """Requests in progress, requests that wait for a place, and idle connections."""

    in_progress: int
    waiting: int
    kept: int


class OutboundHttp:
    """The client that all requests to third parties share."""

    def __init__(self, allowed: Sequence[Network] = (), names: NameLookups | None = None) -> None:
        """*allowed*: networks that may be reached although they are not public.

        *names*: the look-ups of the names that organizations choose; None for some of its own.
        """
        self.allowed: Final = tuple(allowed)
        self._connector = Connector(self.allowed, names or NameLookups())
        self._places = Places()
        self._kept = KeptConnections()

    def live(self) -> AbstractAsyncContextManager[None]:
        """Close idle connections when their time is over, and at the end of the block."""
        return self._kept.live()

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str], *, owner: str, seconds: float, now: int
    ) -> PostResult:
        """POST *body*, and wait at most *seconds* for the status of the response.

        *owner* is the organization that chose the address: it has a share of the places. *now*, in ms since
        the epoch, is what a `Retry-After` date is compared with. Raises `NotSent`, and `NoPlace` of these if
        nothing was attempted.
        """
        target = parse_target(url)
        request = encode_post(target, headers, body)
        await self._places.acquire(owner, target.origin)
        try:
            answer, began = await self._send(target, request, owner, seconds)
        finally:
            self._places.release(owner, target.origin)
        if answer.status_at is None:
            raise NoAnswer(f"no answer within {seconds:g} seconds")
        return PostResult(
            answer.status,
            retry_after_ms(answer.retry_after, now),
            round((answer.status_at - began) * SECOND_MS),
            answer.text(),
        )

    def statistics(self) -> OutboundStatistics:
        return OutboundStatistics(self._places.taken, self._places.waiting, len(self._kept))

    def is_crowded(self, owner: str) -> bool:
        """Whether *owner* has requests that wait for a place, or half of its share in progress."""
        return self._places.is_crowded(owner)

    async def _send(self, target: Target, request: bytes, owner: str, seconds: float) -> tuple[Answer, float]:
        """Send *request* over a kept connection, or over a new one if that turns out to be closed.

        Returns the answer, as far as it came in time, and when the attempt began.

        A server may close an idle connection just as a request is on its way, so the request is sent once
        more if no byte of an answer came. The server may still have processed the first, so HTTP allows this
        only if repeating does no harm (RFC 9110 section 9.2.2). Here it does none: the receiver recognizes
        the delivery id, and a failed request would be sent again anyway.
        """
        answer = Answer()
        kept = self._kept.take(target.origin)
        if kept is not None:
            began = trio.current_time()
            if await self._try_kept(kept, request, answer, seconds):
                return answer, began
            seconds = max(0, seconds - (trio.current_time() - began))
        addresses = await self._connector.find(target, owner)
        began = trio.current_time()
        with trio.move_on_after(seconds) as time_limit:
            connection = await self._connector.connect(target, addresses)
            await self._exchange(connection, request, answer, time_limit)
        return answer, began

    async def _try_kept(self, kept: Connection, request: bytes, answer: Answer, seconds: float) -> bool:
        """Whether the request over *kept* counts: not if that ended before any byte of an answer."""
        try:
            with trio.move_on_after(seconds) as time_limit:
                await self._exchange(kept, request, answer, time_limit)
        except NotSent:
            if answer.begun:
                raise
            return False
        return True

    async def _exchange(
        self, connection: Connection, request: bytes, answer: Answer, time_limit: trio.CancelScope
    ) -> None:
        """Run an exchange on *connection*, and keep that for the next one if it may be used again."""
        reusable = False
        try:
            reusable = await exchange(connection, request, answer, time_limit)
        finally:
            if reusable:
                self._kept.put(connection)
            else:
                connection.close()
