"""Providers as the gateway reaches them: over clients of their own, or built into the program.

Addresses from the configuration are trusted; those of organizations are checked as those of pushes are.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from math import inf
from typing import Final, Protocol, Self

import msgspec
import trio

from svc.actors.outbound.names import NameLookups
from svc.actors.outbound.pool import PoolLimits
from svc.actors.outbound.streamed_response import StreamLimits
from svc.actors.outbound.streams import OutboundStreams
from svc.domain.ai.limits import (
    AI_ANSWER_BYTES_MAX,
    AI_KEPT_CONNECTIONS_MAX,
    AI_KEPT_CONNECTIONS_PER_ORIGIN_MAX,
)
from svc.domain.ai.models import Candidate
from svc.domain.net.client_addresses import Network
from svc.telemetry.calls import call_span

COMPLETIONS: Final = "/chat/completions"
"""What follows a provider's base address."""
LIMITS: Final = StreamLimits(
    connect_seconds=5,
    first_byte_seconds=300,
    idle_seconds=60,
    total_seconds=900,
    answer_bytes_max=AI_ANSWER_BYTES_MAX,
)
"""The limits of one request, where the configuration has no others."""


class Response(Protocol):
    """A provider's response, whose head has come. `StreamedResponse` is one."""

    @property
    def status(self) -> int: ...

    @property
    def content_type(self) -> str: ...

    def retry_after_ms(self, now: int) -> int:
        """How long to wait, from *now*; 0 where it does not say."""
        ...

    def __aiter__(self) -> Self: ...

    async def __anext__(self) -> bytes:
        """The next bytes of the body. Raises a `StreamFailed`."""
        ...

    async def receive_by(self, by: float) -> bytes | None:
        """The next bytes, nothing at their end; None if nothing came until *by*. Raises a `StreamFailed`."""
        ...

    async def read(self, on_part: Callable[[int], None] = ...) -> bytearray:
        """The whole body; *on_part* is told the size of each part that comes. Raises a `StreamFailed`."""
        ...


class BuiltInAnswer(msgspec.Struct, frozen=True):
    """What a provider that is built in answers: always 200."""

    content_type: str
    parts: Sequence[bytes]

    def __repr__(self) -> str:
        return "BuiltInAnswer(•••)"


BuiltIn = Callable[[bytes], BuiltInAnswer]
"""A provider that is built in: from a request's body to its answer."""


class _BuiltInResponse:
    """The response of a provider that is built in."""

    status: Final = 200

    def __init__(self, answer: BuiltInAnswer) -> None:
        self.content_type: Final = answer.content_type
        self._parts = iter(answer.parts)

    def retry_after_ms(self, _now: int) -> int:
        return 0

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        if part := await self.receive_by(inf):
            return part
        raise StopAsyncIteration

    async def receive_by(self, _by: float) -> bytes:
        await trio.lowlevel.checkpoint()
        return next(self._parts, b"")

    async def read(self, on_part: Callable[[int], None] = lambda _size: None) -> bytearray:
        whole = bytearray().join([part async for part in self])
        on_part(len(whole))
        return whole


class Upstreams:
    """The clients of providers."""

    def __init__(
        self,
        allowed: Sequence[Network] = (),
        limits: StreamLimits = LIMITS,
        *,
        names: NameLookups | None = None,
        connections_max: int = 1_000,
        built_in: Mapping[str, BuiltIn] | None = None,
    ) -> None:
        """*allowed*: networks in which organizations' own providers may be although they are not public.

        *names*: the look-ups of the names that organizations choose; None for some of its own. Those of the
        configuration never wait for them. *connections_max*: of each client, at least twice the calls at
        once, since one organization may hold as many as are free. *built_in*: by the provider's name.
        """
        pool = PoolLimits(
            connections_max=connections_max,
            connections_per_origin_max=connections_max,
            waiting_max=0,
            kept_max=AI_KEPT_CONNECTIONS_MAX,
            kept_per_origin_max=AI_KEPT_CONNECTIONS_PER_ORIGIN_MAX,
        )
        self.limits: Final = limits
        self._trusted = OutboundStreams(None, pool)
        self._checked = OutboundStreams(allowed, pool, names)
        self._built_in = built_in or {}

    @asynccontextmanager
    async def live(self) -> AsyncIterator[None]:
        """Close idle connections when their time is over, and at the end of the block."""
        async with self._trusted.live(), self._checked.live():
            yield

    @asynccontextmanager
    async def open(
        self, candidate: Candidate, key: str, body: bytes, on_connected: Callable[[], None], *, owner: str
    ) -> AsyncIterator[Response]:
        """Send *body* to the provider, and give its response. At the end of the block, close it.

        *on_connected* is called before anything is sent. *owner* is the organization that asks. Raises
        `NoPlace` or a `StreamFailed`.
        """
        built_in = self._built_in.get(candidate.provider) if candidate.payer == "credits" else None
        if built_in is not None:
            on_connected()
            yield _BuiltInResponse(built_in(body))
            return
        client = self._trusted if candidate.payer == "credits" else self._checked
        headers = {"Content-Type": "application/json"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        url = candidate.base_url.rstrip("/") + COMPLETIONS
        with call_span("provider", headers) as span:
            async with client.stream(url, body, headers, self.limits, on_connected, owner=owner) as response:
                if span is not None:
                    span.note_status(response.status)
                yield response
