"""Providers of scripted answers for the service of completions, and what each answer leads to."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from math import inf
from typing import Any, Final, Literal, NamedTuple, Self

import msgspec
import trio

from svc.actors.ai.upstreams import Response, Upstreams
from svc.actors.outbound.errors import (
    BrokenOff,
    IdleTooLong,
    NoFirstByte,
    NoPlace,
    NotConnected,
    TookTooLong,
    TooLarge,
)
from svc.domain.ai.limits import AI_READ_ON_BYTES_MAX
from svc.domain.ai.models import Candidate
from tests.http.ai.gateway import DONE, USAGE, event, usage_event, whole

Result = Literal["answered", "broken", "silent", "limit", "next", "last", "refused"]
"""What an answer leads to: how the call ends; or, as no answer was given, the next provider or none."""

ABSURD: Final = {"prompt_tokens": 10**9, "completion_tokens": 1}
PAUSE_SECONDS: Final = 0.2
"""Before a provider's response, and before each part of it."""
ERROR: Final = b'{"error": {"message": "busy"}}'
TEXT, FINISH = event(), event(None, "stop")
_PIECES: Final = TEXT + TEXT + FINISH + usage_event()


_WAIT: Final = b": still counting\n\n"
_FLOOD: Final = b": " + b"x" * AI_READ_ON_BYTES_MAX + b"\n\n"


class Said(NamedTuple):
    """One way to answer."""

    streamed: Result
    """What it leads to for a stream."""
    whole: Result
    """What it leads to otherwise."""
    parts: tuple[bytes | Exception, ...] = ()
    """What comes of a stream."""
    body: bytes | Exception = b""
    """What comes otherwise."""
    status: int = 200
    failure: Exception | None = None
    """Raised in place of a response."""
    is_connected: bool = True


ANSWERED: Final = (TEXT, TEXT, FINISH, usage_event(), DONE)
SAID: Final[Mapping[str, Said]] = {
    "an answer": Said("answered", "answered", ANSWERED, whole()),
    "no usage": Said("answered", "answered", (TEXT, FINISH, DONE), whole(usage=None)),
    "absurd usage": Said(
        "answered", "answered", (TEXT, FINISH, usage_event(ABSURD), DONE), whole(usage=ABSURD)
    ),
    "no end": Said("answered", "answered", (TEXT, FINISH), whole()),
    "pieces": Said(
        "answered",
        "answered",
        (*(_PIECES[at : at + 40] for at in range(0, len(_PIECES), 40)), DONE),
        whole(),
    ),
    "the end alone is missing": Said("broken", "next", (TEXT,), BrokenOff("")),
    "a break": Said("broken", "next", (TEXT, TEXT, BrokenOff("")), BrokenOff("")),
    "a break after usage": Said("broken", "next", (event(usage=USAGE), BrokenOff("")), BrokenOff("")),
    "an error later": Said("broken", "next", (TEXT, b"data: " + ERROR + b"\n\n"), ERROR),
    "silence": Said("silent", "last", (TEXT, IdleTooLong("")), IdleTooLong("")),
    "too long": Said("limit", "last", (TEXT, TookTooLong("")), TookTooLong("")),
    "too large": Said("limit", "next", (TEXT, TooLarge("")), TooLarge("")),
    "usage too late": Said("answered", "answered", (TEXT, FINISH, *[_WAIT] * 60, usage_event()), whole()),
    "usage after too much": Said("answered", "answered", (TEXT, FINISH, _FLOOD, usage_event()), whole()),
    "an error": Said("next", "next", (b"data: " + ERROR + b"\n\n",), ERROR),
    "garbage": Said("next", "next", (b"data: <html>\n\n",), b"<html>"),
    "nothing": Said("next", "next"),
    "half an event": Said("next", "next", (TEXT[:-9],), whole()[:-9]),
    "a silent stream": Said("last", "last", (NoFirstByte(""),), NoFirstByte("")),
    "a silent provider": Said("last", "last", failure=NoFirstByte("")),
    "a reset": Said("next", "next", failure=BrokenOff("")),
    "no connection": Said("next", "next", failure=NotConnected(""), is_connected=False),
    "no place": Said("refused", "refused", failure=NoPlace(""), is_connected=False),
    "500": Said("next", "next", status=500),
    "429": Said("next", "next", status=429),
    "400": Said("last", "last", (ERROR,), ERROR, status=400),
    "401": Said("last", "last", (ERROR,), ERROR, status=401),
}
"""Every way to answer."""


class Attempt:
    """A request that came to a provider, and what it has been sent so far."""

    def __init__(self, candidate: Candidate, said: str, result: Result) -> None:
        self.candidate, self.said, self.result = candidate, said, result
        self.is_sent = False
        self.came = b""
        self.is_over = False
        """Whether all that the script has was given."""


class _ScriptedResponse:
    def __init__(self, said: Said, attempt: Attempt, *, stream: bool) -> None:
        self._attempt = attempt
        self._parts = list(said.parts if stream else [said.body])
        self.status = said.status
        self.content_type = "text/event-stream" if stream else "application/json"

    def retry_after_ms(self, _now: int) -> int:
        return 0

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        if part := await self.receive_by(inf):
            return part
        raise StopAsyncIteration

    async def receive_by(self, _by: float) -> bytes:
        await trio.sleep(PAUSE_SECONDS)
        self._attempt.is_over = len(self._parts) <= 1
        if not self._parts:
            return b""
        part = self._parts.pop(0)
        if isinstance(part, Exception):
            raise part
        self._attempt.came += part
        return part

    async def read(self, on_part: Callable[[int], None] = lambda _size: None) -> bytearray:
        whole = bytearray(await self.receive_by(inf))
        on_part(len(whole))
        return whole


class ScriptedUpstreams(Upstreams):
    """Answers each request as *script* has it, by the model and the provider: its name, or `own`."""

    def __init__(self, script: Mapping[tuple[str, str], str]) -> None:
        super().__init__()
        self._script = script
        self.attempts: dict[str, list[Attempt]] = {}
        """By the model, in order."""

    @asynccontextmanager
    async def open(
        self, candidate: Candidate, key: str, body: bytes, on_connected: Callable[[], None], *, owner: str
    ) -> AsyncIterator[Response]:
        request: dict[str, Any] = msgspec.json.decode(body)
        stream = request.get("stream", False)
        whose = candidate.provider if candidate.payer == "credits" else "own"
        assert {"p0": "sk-p0", "p1": "sk-p1", "own": "sk-own"}[whose] == key
        said = self._script[candidate.upstream, whose]
        script = SAID[said]
        attempt = Attempt(candidate, said, script.streamed if stream else script.whole)
        self.attempts.setdefault(candidate.upstream, []).append(attempt)
        await trio.lowlevel.checkpoint()
        if script.is_connected:
            on_connected()
            attempt.is_sent = True
        await trio.sleep(PAUSE_SECONDS)
        if script.failure is not None:
            attempt.is_over = True
            raise script.failure
        attempt.is_over = script.status != 200  # of which the body may be left unread
        yield _ScriptedResponse(script, attempt, stream=stream)
