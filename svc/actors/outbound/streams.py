"""The HTTP client for requests whose response is read in parts, as they come, such as those of AI providers.

Beside `OutboundHttp`, it has connections and places of its own, so that long streams never hold up pushes. It
does not repeat a request: what is asked here may cost money each time.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Self

import msgspec

from svc.actors.outbound.pool import PoolLimits
from svc.domain.net.client_addresses import Network


class StreamLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of one request. Each has an error of its own."""

    connect_seconds: float
    """For the name, the connection and TLS: `NotConnected`."""
    first_byte_seconds: float
    """From then until the first byte of the body, with the sending of the request: `NoFirstByte`."""
    idle_seconds: float
    """Between two reads of the body: `IdleTooLong`. The time that the consumer takes does not count."""
    total_seconds: float
    """For everything, from the attempt to connect to the end of the body: `TookTooLong`."""
    answer_bytes_max: int
    """Of the body: `TooLarge`."""


class StreamedResponse:
    """A response of which the head has come. Iterate over it to read the body, as fast as you take it."""

    status: int
    content_type: str
    """The value of `Content-Type`, empty if there is none."""

    def retry_after_ms(self, now: int) -> int:
        """What `Retry-After` asks for, in ms from *now*, in ms since the epoch; 0 if it does not."""
        raise NotImplementedError

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        """The next bytes of the body, at most 16 KiB. Raises a `StreamFailed`."""
        raise NotImplementedError

    async def read(self) -> bytes:
        """Read the whole body, within `first_byte_seconds`. Raises a `StreamFailed`."""
        raise NotImplementedError


class OutboundStreams:
    """A client of streamed responses, with a pool of its own."""

    def __init__(self, allowed: Sequence[Network] | None, limits: PoolLimits) -> None:
        """*allowed*: networks that may be reached although they are not public; None: any address may.

        Addresses from the configuration are trusted, those of organizations are not: they need a client each,
        since a connection that is kept leads to where it was allowed to.
        """
        raise NotImplementedError

    @asynccontextmanager
    async def live(self) -> AsyncIterator[None]:
        """Close idle connections when their time is over, and at the end of the block."""
        raise NotImplementedError
        yield

    @asynccontextmanager
    async def stream(
        self, url: str, body: bytes, headers: Mapping[str, str], limits: StreamLimits
    ) -> AsyncIterator[StreamedResponse]:
        """POST *body*, and give the response once its head has come. At the end of the block, close it.

        Raises `NoPlace` if too many requests are in progress, and a `StreamFailed` otherwise.
        """
        raise NotImplementedError
        yield
