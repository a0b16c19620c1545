"""HTTP requests with retries, under one idempotency key, so that a call takes effect once."""

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
"""With the waits in between about 15 seconds, the longest that a restart of the service takes."""
FIRST_WAIT_SECONDS: Final = 0.5
LONGEST_WAIT_SECONDS: Final = 30.0
"""The longest wait, unless `Retry-After` asks for more."""
RETRY_AFTER_SECONDS_MAX: Final = 120.0
"""If the service asks for a longer wait, the error is raised instead."""
ANSWER_SECONDS: Final = 30.0
"""Timeout of a whole response; more than the longest long poll."""
ANSWER_BYTES_MAX: Final = 16 * 1024 * 1024
KEY_CHARS_MAX: Final = 255


class Transport:
    """A client of one service, with one key. Use it with `async with`; tasks may share it."""

    def __init__(
        self, base_url: str, key: str, *, client: httpx.AsyncClient | None = None, attempts: int = ATTEMPTS
    ) -> None:
        """Connect to the service at *base_url*.

        Args:
            base_url: such as `https://svc.example.com`.
            key: the API key or channel key; surrounding white space is ignored.
            client: an HTTP client to use instead of a new one; it is not closed.
            attempts: how often a call is sent at most.

        Raises `ValueError` if *key* cannot be a key.
        """
        self._key = key.strip()
        if not (self._key.isascii() and self._key.isprintable() and 0 < len(self._key) <= KEY_CHARS_MAX):
            # Checked here, since the HTTP library's error would have the key in its message.
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
        self, path: str, body: Any, *, idempotency_key: str | None = None, retry: bool = True
    ) -> bytes:
        """POST *body* to *path*, and return the response body.

        With *retry*, the request is repeated while it gets no response or a transient error.

        Raises:
            Refused: the service rejects the last attempt, or rejects the call for good.
            Unreachable: no attempt got a response.
            BadAnswer: a response is not the service's.
        """
        headers = {"Content-Type": "application/json"}
        if retry:
            headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        return await self.send(path, _encode(body), headers, retry=retry)

    async def send(
        self, path: str, content: bytes, headers: Mapping[str, str], *, retry: bool = True
    ) -> bytes:
        """POST *content* to *path*; with *retry*, repeating that must be safe. Raises as `post`."""
        headers = {
            "Authorization": f"Bearer {self._key}",
            "Accept-Encoding": "identity",  # no compression, so no decompression bombs
            **headers,
        }
        attempt = 0
        while True:
            attempt += 1
            try:
                return await self._attempt(path, content, headers)
            except ServiceError as error:
                if not retry or attempt >= self._attempts:
                    raise
                wait = _wait_seconds(error, attempt)
                if wait is None:
                    raise
            await anyio.sleep(wait)

    async def _attempt(self, path: str, content: bytes, headers: Mapping[str, str]) -> bytes:
        try:
            with anyio.fail_after(ANSWER_SECONDS):
                response = await self._exchange(self._base_url + path, content, headers)
        except (TimeoutError, httpx.TransportError) as error:
            raise Unreachable(f"{self._base_url} does not answer: {error!r}") from error
        except httpx.DecodingError as error:
            raise BadAnswer(f"{self._base_url} answers what cannot be read: {error!r}") from error
        if response.status != httpx.codes.OK:
            raise _error_of(response)
        return response.body

    async def _exchange(self, url: str, content: bytes, headers: Mapping[str, str]) -> "_Response":
        async with self._client.stream("POST", url, content=content, headers=headers) as response:
            body = bytearray()
            with anyio.CancelScope() as reading:
                async for part in response.aiter_bytes():
                    body += part
                    if len(body) > ANSWER_BYTES_MAX:
                        reading.cancel()  # unlike a `break`, it closes the generators below
        if len(body) > ANSWER_BYTES_MAX:
            raise BadAnswer("an answer of more bytes than the service ever sends")
        return _Response(response.status_code, response.headers, bytes(body))


def _encode(body: Any) -> bytes:
    """*body* as JSON. Lone surrogates, which some messengers send, become question marks."""
    try:
        return msgspec.json.encode(body)
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(body), ensure_ascii=False).encode(errors="replace")


class _Response(NamedTuple):
    status: int
    headers: httpx.Headers
    body: bytes


class _Problem(msgspec.Struct, rename="camel"):
    """The body of an error response (RFC 9457), as far as the kit reads it."""

    code: str
    detail: str = ""
    errors: tuple[dict[str, Any], ...] = ()
    conflicts: tuple[dict[str, Any], ...] = ()


def _error_of(response: _Response) -> Refused | BadAnswer:
    try:
        problem = msgspec.json.decode(response.body, type=_Problem)
    except msgspec.DecodeError:
        if response.status < httpx.codes.INTERNAL_SERVER_ERROR:
            return BadAnswer(f"status {response.status}, and no problem of the service's")
        problem = _Problem("unavailable", f"status {response.status} of something in between")
    return Refused(
        response.status,
        problem.code,
        problem.detail,
        errors=problem.errors,
        conflicts=problem.conflicts,
        request_id=response.headers.get("x-request-id"),
        retry_after_seconds=_seconds(response.headers.get("retry-after")),
    )


def _seconds(retry_after: str | None) -> float | None:
    """Parse `Retry-After`; None if it is missing, or a date, which the service never sends."""
    return float(retry_after) if retry_after and retry_after.isascii() and retry_after.isdecimal() else None


def _wait_seconds(error: ServiceError, attempt: int) -> float | None:
    """How long to wait before the next attempt; None if the error is final.

    The wait doubles with each attempt, and has jitter, so that many clients do not retry at the same moment.
    """
    longest: float = min(FIRST_WAIT_SECONDS * 2 ** (attempt - 1), LONGEST_WAIT_SECONDS)
    wait = longest * (0.5 + random.random() / 2)  # noqa: S311  # not for a secret
    match error:
        case Unreachable():
            return wait
        case Refused(is_transient=True, retry_after_seconds=asked_seconds):
            if asked_seconds is not None and asked_seconds > RETRY_AFTER_SECONDS_MAX:
                return None
            return max(wait, asked_seconds or 0)
        case _:
            return None
