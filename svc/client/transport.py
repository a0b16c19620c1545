"""Sending one call until it is answered: the same body under the same idempotency key, so it is done once."""

import json
import random
import uuid
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Final, NamedTuple, Self

import anyio
import httpx
import msgspec

from svc.client.errors import BadAnswer, Refused, ServiceError, Unreachable

ATTEMPTS: Final = 6
"""Ours: with the waits between them about 15 seconds, which a restart of the service takes at most."""
FIRST_WAIT_SECONDS: Final = 0.5
LONGEST_WAIT_SECONDS: Final = 30.0
"""Of those that are our own choice."""
RETRY_AFTER_SECONDS_MAX: Final = 120.0
"""Who is told to wait for longer hears of it instead."""
ANSWER_SECONDS: Final = 30.0
"""For a whole answer; more than the longest long poll takes."""
ANSWER_BYTES_MAX: Final = 16 * 1024 * 1024
KEY_CHARS_MAX: Final = 255


class Transport:
    """Calls to one service with one key. Open it with `async with`; any number of tasks may use it."""

    def __init__(
        self, base_url: str, key: str, *, client: httpx.AsyncClient | None = None, attempts: int = ATTEMPTS
    ) -> None:
        """*client* is used as it is, and left open, where one is given.

        Raises `ValueError` for what cannot be a key. White space around it, as files have it, is none of it.
        """
        self._key = key.strip()
        if not (self._key.isascii() and self._key.isprintable() and 0 < len(self._key) <= KEY_CHARS_MAX):
            # Said here, as the HTTP library would say it with the key in its message.
            raise ValueError("this is no key")
        self._client = client or httpx.AsyncClient(timeout=ANSWER_SECONDS)
        self._own_client = client is None
        self._base_url = base_url.rstrip("/")
        self._attempts = attempts

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._base_url!r}, •••)"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._own_client:
            with anyio.CancelScope(shield=True):
                await self._client.aclose()

    async def post(
        self, path: str, body: Any, *, idempotency_key: str | None = None, again: bool = True
    ) -> bytes:
        """The answer to *body* at *path*; repeated while it gets none, or one that may pass, if *again*.

        Raises:
            Refused: the service said no, to the last attempt or for good.
            Unreachable: nobody answered.
            BadAnswer: somebody else did.
        """
        headers = {
            "Authorization": f"Bearer {self._key}",
            "Content-Type": "application/json",
            "Accept-Encoding": "identity",  # what is small on the way and huge here is not asked for
        }
        if again:
            headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        content = _encode(body)
        attempt = 0
        while True:
            attempt += 1
            try:
                return await self._once(path, content, headers)
            except ServiceError as error:
                if not again or attempt >= self._attempts:
                    raise
                wait = _wait_seconds(error, attempt)
                if wait is None:
                    raise
            await anyio.sleep(wait)

    async def _once(self, path: str, content: bytes, headers: Mapping[str, str]) -> bytes:
        try:
            with anyio.fail_after(ANSWER_SECONDS):
                answer = await self._exchange(self._base_url + path, content, headers)
        except (TimeoutError, httpx.TransportError) as error:
            raise Unreachable(f"{self._base_url} does not answer: {error!r}") from error
        except httpx.DecodingError as error:
            raise BadAnswer(f"{self._base_url} answers what cannot be read: {error!r}") from error
        if answer.status != httpx.codes.OK:
            raise _refused(answer)
        return answer.body

    async def _exchange(self, url: str, content: bytes, headers: Mapping[str, str]) -> "_Answer":
        async with self._client.stream("POST", url, content=content, headers=headers) as answer:
            body = bytearray()
            with anyio.CancelScope() as reading:
                async for part in answer.aiter_bytes():
                    body += part
                    if len(body) > ANSWER_BYTES_MAX:
                        reading.cancel()  # rather than left: the generators below are closed by it
        if len(body) > ANSWER_BYTES_MAX:
            raise BadAnswer("an answer of more bytes than the service ever sends")
        return _Answer(answer.status_code, answer.headers, bytes(body))


def _encode(body: Any) -> bytes:
    """*body* as JSON. Half of a surrogate pair, which some messengers' JSON has, goes as a question mark."""
    try:
        return msgspec.json.encode(body)
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(body), ensure_ascii=False).encode(errors="replace")


class _Answer(NamedTuple):
    status: int
    headers: httpx.Headers
    body: bytes


class _Problem(msgspec.Struct, rename="camel"):
    """The body of a refusal (RFC 9457), as far as the kit reads it."""

    code: str
    detail: str = ""
    errors: tuple[dict[str, Any], ...] = ()


def _refused(answer: _Answer) -> Refused | BadAnswer:
    try:
        problem = msgspec.json.decode(answer.body, type=_Problem)
    except msgspec.DecodeError:
        if answer.status < httpx.codes.INTERNAL_SERVER_ERROR:
            return BadAnswer(f"status {answer.status}, and no problem of the service's")
        problem = _Problem("unavailable", f"status {answer.status} of something in between")
    return Refused(
        answer.status,
        problem.code,
        problem.detail,
        errors=problem.errors,
        request_id=answer.headers.get("x-request-id"),
        retry_after_seconds=_seconds(answer.headers.get("retry-after")),
    )


def _seconds(retry_after: str | None) -> float | None:
    """What the header says; None for nothing, and for a date, which the service never sends."""
    return float(retry_after) if retry_after and retry_after.isascii() and retry_after.isdecimal() else None


def _wait_seconds(error: ServiceError, attempt: int) -> float | None:
    """How long to wait before the next attempt; None where there is none.

    Doubling, and spread out, so that many clients of a service that restarts do not come at once.
    """
    longest: float = min(FIRST_WAIT_SECONDS * 2 ** (attempt - 1), LONGEST_WAIT_SECONDS)
    wait = longest * (0.5 + random.random() / 2)  # noqa: S311  # no secret
    match error:
        case Unreachable():
            return wait
        case Refused(is_passing=True, retry_after_seconds=told):
            return None if told is not None and told > RETRY_AFTER_SECONDS_MAX else max(wait, told or 0)
        case _:
            return None
