"""Requests to other people's servers: pushes, and whatever else goes to an address that somebody named.

A name is resolved once, its addresses are checked, and the connection is made to the very one that was: a
name that leads elsewhere a moment later leads nobody astray. TLS and `Host` still speak of the name.
Redirects are not followed, the answer is read within bounds, and all of it takes no longer than it may.
"""

import ssl
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC
from email.utils import parsedate_to_datetime
from http.cookiejar import CookieJar, DefaultCookiePolicy
from ipaddress import ip_address
from socket import SOCK_STREAM
from typing import Any, Final

import httpcore
import httpx
import msgspec
import trio

from svc.domain.limits import (
    OUTGOING_ANSWER_BYTES_MAX,
    OUTGOING_CONNECTIONS_MAX,
    OUTGOING_KEPT_MAX,
    OUTGOING_KEPT_SECONDS,
    OUTGOING_REST_SECONDS,
    OUTGOING_WAIT_SECONDS,
)
from svc.domain.net.client_addresses import Address, Network
from svc.domain.net.egress import may_reach
from svc.domain.times import SECOND_MS

_ADDRESSES_TRIED_MAX: Final = 4
_ADDRESS_SECONDS: Final = 3.0
"""For one address of several to answer at all, before the next is tried."""


class NotSent(Exception):
    """Raised when a request got no answer; it may have arrived all the same. The message says why."""


class PostResult(msgspec.Struct, frozen=True):
    """An answer's status, and how long it asks to wait before the next request."""

    status: int
    retry_after_ms: int = 0


class OutboundHttp:
    """The client that all requests to others share."""

    def __init__(self, allowed: Sequence[Network] = ()) -> None:
        """*allowed* are networks that may be reached though they are not public."""
        self.allowed: Final = tuple(allowed)
        self._opened: httpx.AsyncClient | None = None
        self._turns = trio.CapacityLimiter(OUTGOING_CONNECTIONS_MAX)

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str], *, seconds: float, now: int
    ) -> PostResult:
        """Send *body* and wait at most *seconds* for the answer's status. *now* is for `Retry-After`.

        Raises `NotSent`.
        """
        async with self._turn():
            with trio.move_on_after(seconds):
                try:
                    return await self._post(url, body, headers, now)
                except (httpx.HTTPError, httpx.InvalidURL, ssl.SSLError, OSError) as error:
                    raise NotSent(_said(error)) from error
            raise NotSent(f"no answer within {seconds:g} seconds")

    async def aclose(self) -> None:
        """Close the connections that were kept."""
        if self._opened is not None:
            await self._opened.aclose()

    @property
    def _client(self) -> httpx.AsyncClient:
        """The one client; made when it is first needed, since reading the certificates takes a while."""
        if self._opened is None:
            self._opened = httpx.AsyncClient(
                transport=_CheckedTransport(self.allowed),
                headers={"User-Agent": "svc", "Accept-Encoding": "identity"},
                cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),  # none are taken
                follow_redirects=False,
                timeout=None,  # noqa: S113  # each request has one limit for all of it
                trust_env=False,
            )
        return self._opened

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        with trio.move_on_after(OUTGOING_WAIT_SECONDS) as waiting:
            await self._turns.acquire()
        if waiting.cancelled_caught:
            raise NotSent("too many requests are under way")
        try:
            yield
        finally:
            self._turns.release()

    async def _post(self, url: str, body: bytes, headers: Mapping[str, str], now: int) -> PostResult:
        async with self._client.stream("POST", url, content=body, headers=dict(headers)) as answer:
            # The status is what counts. The rest is read so that the connection can be used again; where
            # that takes long or never ends, leaving the block closes it.
            with trio.move_on_after(OUTGOING_REST_SECONDS) as reading:
                await _read_rest(answer, reading)
            return PostResult(answer.status_code, _retry_after_ms(answer.headers.get("retry-after"), now))


async def _read_rest(answer: httpx.Response, reading: trio.CancelScope) -> None:
    read = 0
    try:
        async for part in answer.aiter_raw():
            read += len(part)
            if read > OUTGOING_ANSWER_BYTES_MAX:
                reading.cancel()  # ends in httpcore's own generators, which a return would leave open
    except httpx.HTTPError:
        return  # broken off after the status: it was answered all the same


def _retry_after_ms(value: str | None, now: int) -> int:
    """`Retry-After`, in seconds or as a date (RFC 9110 section 10.2.3); 0 for none, or none that is one."""
    if value is None:
        return 0
    if value.isascii() and value.isdigit():
        return int(value[:9]) * SECOND_MS
    try:
        at = parsedate_to_datetime(value)
    except ValueError:
        return 0
    return max(0, round(at.replace(tzinfo=at.tzinfo or UTC).timestamp() * SECOND_MS) - now)


def _said(error: Exception) -> str:
    """*error* in words that may be shown to whoever named the address."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, _Refused):
            return str(cause)
        if isinstance(cause, ssl.SSLError):
            return f"TLS failed: {getattr(cause, 'verify_message', '') or cause.reason or 'not spoken there'}"
        cause = cause.__cause__ or cause.__context__
    return {
        httpx.ConnectError: "no connection",
        httpx.InvalidURL: "not an address",
        httpx.UnsupportedProtocol: "not an address",
    }.get(type(error), "the connection broke, or what came was not HTTP")


class _Refused(httpcore.ConnectError):
    """Raised for a name that leads nowhere, or where nobody may be sent to."""


class _CheckedTransport(httpx.AsyncHTTPTransport):
    """httpx's own transport, over connections that `_CheckedNetwork` makes.

    httpx has no public way to say how connections are made; httpcore, which it is built on, does.
    """

    def __init__(self, allowed: Sequence[Network]) -> None:
        context = httpx.create_ssl_context(trust_env=False)
        super().__init__(verify=context)
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=context,
            max_connections=OUTGOING_CONNECTIONS_MAX,
            max_keepalive_connections=OUTGOING_KEPT_MAX,
            keepalive_expiry=OUTGOING_KEPT_SECONDS,
            network_backend=_CheckedNetwork(allowed),
        )


class _CheckedNetwork(httpcore.AsyncNetworkBackend):
    """Connects to addresses that may be reached, and to no others."""

    def __init__(self, allowed: Sequence[Network]) -> None:
        self._allowed = allowed
        self._network = httpcore.TrioBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  # the interface is httpcore's
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """A connection to *host*, at one of its addresses as they are now. Raises `httpcore.ConnectError`."""
        reachable = [one for one in await _resolve(host, port) if may_reach(one, self._allowed)]
        if not reachable:
            raise _Refused("the address is private, or not one that may be reached")
        failed: Exception | None = None
        for address in reachable[:_ADDRESSES_TRIED_MAX]:
            try:
                return await self._network.connect_tcp(
                    str(address),
                    port,
                    timeout=timeout if len(reachable) == 1 else _ADDRESS_SECONDS,
                    local_address=local_address,
                    socket_options=socket_options,
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failed = error
        raise httpcore.ConnectError("no connection") from failed

    async def sleep(self, seconds: float) -> None:
        await trio.sleep(seconds)


async def _resolve(host: str, port: int) -> list[Address]:
    """The addresses of *host*, in the order in which the resolver prefers them, each once."""
    try:
        found = await trio.socket.getaddrinfo(host, port, type=SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise _Refused("the name leads nowhere") from error
    return list(dict.fromkeys(ip_address(str(address[0]).partition("%")[0]) for *_, address in found))
