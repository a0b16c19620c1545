"""The HTTP client for requests to addresses that users have entered, such as pushes.

It follows no redirect, keeps no cookie and uses no proxy. The answer is read within bounds, and one time
limit covers all of a request. Why it is not httpx: `docs/decisions/0014-outgoing-requests.md`.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Final

import msgspec
import trio

from svc.actors.outbound.answer import Answer
from svc.actors.outbound.connection import Connection
from svc.actors.outbound.connector import Connector
from svc.actors.outbound.errors import NotSent
from svc.actors.outbound.exchange import encode_post, exchange
from svc.actors.outbound.pool import KeptConnections, Places
from svc.actors.outbound.retry_after import retry_after_ms
from svc.actors.outbound.target import Target, parse_target
from svc.domain.net.client_addresses import Network
from svc.domain.times import SECOND_MS


class PostResult(msgspec.Struct, frozen=True):
    """What came of a request that was answered."""

    status: int
    retry_after_ms: int = 0
    milliseconds: int = 0
    """From the start of the attempt, which is after the wait for a place, to the status."""
    answer: str = ""
    """The beginning of the body as text, without control characters."""


class OutboundStatistics(msgspec.Struct, frozen=True):
    """Requests in progress, requests that wait for a place, and idle connections."""

    in_progress: int
    waiting: int
    kept: int


class OutboundHttp:
    """The client that all requests to third parties share."""

    def __init__(self, allowed: Sequence[Network] = ()) -> None:
        """*allowed*: networks that may be reached although they are not public."""
        self.allowed: Final = tuple(allowed)
        self._connector = Connector(self.allowed)
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
        answer = Answer()
        await self._places.acquire(owner, target.origin)
        try:
            began = trio.current_time()
            with trio.move_on_after(seconds) as time_limit:
                await self._send(target, request, answer, time_limit)
        finally:
            self._places.release(owner, target.origin)
        if answer.status_at is None:
            raise NotSent(f"no answer within {seconds:g} seconds")
        return PostResult(
            answer.status,
            retry_after_ms(answer.retry_after, now),
            round((answer.status_at - began) * SECOND_MS),
            answer.text(),
        )

    def statistics(self) -> OutboundStatistics:
        return OutboundStatistics(self._places.taken, self._places.waiting, len(self._kept))

    async def _send(
        self, target: Target, request: bytes, answer: Answer, time_limit: trio.CancelScope
    ) -> None:
        """Send *request* over a kept connection, or over a new one if that turns out to be closed.

        A server may close an idle connection just as a request is on its way, so the request is sent once
        more if no byte of an answer came. The server may still have processed the first, so HTTP allows this
        only if repeating does no harm (RFC 9110 section 9.2.2). Here it does none: the receiver recognizes
        the delivery id, and a failed request would be sent again anyway.
        """
        kept = self._kept.take(target.origin)
        if kept is not None:
            try:
                await self._exchange(kept, request, answer, time_limit)
            except NotSent:
                if answer.begun:
                    raise
            else:
                return
        connection = await self._connector.connect(target)
        await self._exchange(connection, request, answer, time_limit)

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
