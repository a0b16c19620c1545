"""The outgoing HTTP client that svc had before its own: httpx over checked connections.

A host name is resolved once, its addresses are checked, and the connection is made to an address that passed:
a name that resolves to another address a moment later (DNS rebinding) has no effect. TLS and `Host` still use
the name. Redirects are not followed, the response is read within bounds, and one time limit covers it all.
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

from svc.domain.locale.times import SECOND_MS
from svc.domain.net.client_addresses import Address, Network
from svc.domain.net.egress import may_reach
from svc.domain.net.limits import (
    OUTGOING_ANSWER_BYTES_MAX,
    OUTGOING_CONNECTIONS_MAX,
    OUTGOING_KEPT_MAX,
    OUTGOING_KEPT_SECONDS,
    OUTGOING_REST_SECONDS,
    OUTGOING_WAIT_SECONDS,
)

_ADDRESSES_TRIED_MAX: Final = 4
_ADDRESS_SECONDS: Final = 3.0
"""Connection timeout for one address of several, before the next is tried."""


class NotSent(Exception):
    """Raised when a request got no response; it may still have arrived. The message says why."""


class PostResult(msgspec.Struct, frozen=True):
    """The status of a response, and its `Retry-After`."""

    status: int
    retry_after_ms: int = 0


class OutboundHttp:
    """The client that all requests to third parties share."""

    def __init__(self, allowed: Sequence[Network] = ()) -> None:
        """*allowed*: networks that may be reached although they are not public."""
        self.allowed: Final = tuple(allowed)
        self._open_client: httpx.AsyncClient | None = None
        self._limiter = trio.CapacityLimiter(OUTGOING_CONNECTIONS_MAX)

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str], *, owner: str, seconds: float, now: int
    ) -> PostResult:
        """POST *body*, and wait at most *seconds* for the status of the response. Raises `NotSent`.

        *now*, in ms since the epoch, is what a `Retry-After` date is compared with.
        """
        async with self._slot():
            with trio.move_on_after(seconds):
                try:
                    return await self._post(url, body, headers, now)
                except (httpx.HTTPError, httpx.InvalidURL, ssl.SSLError, OSError) as error:
                    raise NotSent(_public_reason(error)) from error
            raise NotSent(f"no answer within {seconds:g} seconds")

    async def aclose(self) -> None:
        """Close the idle connections."""
        if self._open_client is not None:
            await self._open_client.aclose()

    @property
    def _client(self) -> httpx.AsyncClient:
        """The client, created at its first use, since loading the certificates takes a while."""
        if self._open_client is None:
            self._open_client = httpx.AsyncClient(
                transport=_CheckedTransport(self.allowed),
                headers={"User-Agent": "svc", "Accept-Encoding": "identity"},
                cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),  # cookies are ignored
                follow_redirects=False,
                timeout=None,  # `post` limits the whole request
                trust_env=False,
            )
        return self._open_client

    @asynccontextmanager
    async def _slot(self) -> AsyncIterator[None]:
        with trio.move_on_after(OUTGOING_WAIT_SECONDS) as waiting:
            await self._limiter.acquire()
        if waiting.cancelled_caught:
            raise NotSent("too many requests are under way")
        try:
            yield
        finally:
            self._limiter.release()

    async def _post(self, url: str, body: bytes, headers: Mapping[str, str], now: int) -> PostResult:
        async with self._client.stream("POST", url, content=body, headers=dict(headers)) as answer:
            # Only the status matters. The body is read so that the connection can be reused; if that takes
            # too long, leaving the block closes the connection.
            with trio.move_on_after(OUTGOING_REST_SECONDS) as reading:
                await _read_rest(answer, reading)
            return PostResult(answer.status_code, _retry_after_ms(answer.headers.get("retry-after"), now))


async def _read_rest(answer: httpx.Response, reading: trio.CancelScope) -> None:
    bytes_read = 0
    try:
        async for part in answer.aiter_raw():
            bytes_read += len(part)
            if bytes_read > OUTGOING_ANSWER_BYTES_MAX:
                reading.cancel()  # unlike a return, it closes httpcore's generators
    except httpx.HTTPError:
        return  # the connection broke after the status, which is what counts


def _retry_after_ms(value: str | None, now: int) -> int:
    """Parse `Retry-After`, in seconds or as a date (RFC 9110 section 10.2.3); 0 if missing or malformed."""
    if value is None:
        return 0
    if value.isascii() and value.isdigit():
        return int(value[:9]) * SECOND_MS
    try:
        at = parsedate_to_datetime(value)
    except ValueError:
        return 0
    return max(0, round(at.replace(tzinfo=at.tzinfo or UTC).timestamp() * SECOND_MS) - now)


def _public_reason(error: Exception) -> str:
    """The reason of *error*, in words that may be shown to the user who entered the address."""
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
    """Raised for a host that does not resolve, or resolves only to addresses that may not be reached."""


class _CheckedTransport(httpx.AsyncHTTPTransport):
    """httpx's transport over connections that `_CheckedNetwork` makes.

    httpx has no public way to replace how connections are made; httpcore, which it is built on, has.
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
    """Connects only to addresses that may be reached."""

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
        """Connect to one of the current addresses of *host*. Raises `httpcore.ConnectError`."""
        addresses = await _resolve(host, port)
        reachable = [address for address in addresses if may_reach(address, self._allowed)]
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
    """The distinct addresses of *host*, in the resolver's order of preference."""
    try:
        resolved = await trio.socket.getaddrinfo(host, port, type=SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise _Refused("the name leads nowhere") from error
    return list(dict.fromkeys(ip_address(str(address[0]).partition("%")[0]) for *_, address in resolved))
