"""Sending one call until it is answered: the same body under the same idempotency key, so it is done once."""

import random
import uuid
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Final, Self

import anyio
import httpx
import msgspec

from svc.client.errors import BadAnswer, Refused, ServiceError, Unreachable

ATTEMPTS: Final = 6
"""Ours: with the waits between them about half a minute, which a restart of the service takes at most."""
FIRST_WAIT_SECONDS: Final = 0.5
LONGEST_WAIT_SECONDS: Final = 30.0
ANSWER_SECONDS: Final = 30.0
"""Longer than the longest long poll."""
ANSWER_BYTES_MAX: Final = 16 * 1024 * 1024


class Transport:
    """Calls to one service with one key. Open it with `async with`; any number of tasks may use it."""

    def __init__(
        self, base_url: str, key: str, *, client: httpx.AsyncClient | None = None, attempts: int = ATTEMPTS
    ) -> None:
        """*client* is used as it is, and left open, where one is given."""
        self._client = client or httpx.AsyncClient(timeout=ANSWER_SECONDS)
        self._own_client = client is None
        self._base_url = base_url.rstrip("/")
        self._key = key
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
        headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
        if again:
            headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        content = msgspec.json.encode(body)
        for attempt in range(1, self._attempts + 1 if again else 2):
            try:
                return await self._once(path, content, headers)
            except Unreachable as error:
                failed: ServiceError = error
                wait = _backoff_seconds(attempt)
            except Refused as error:
                if not error.is_passing:
                    raise
                failed = error
                wait = error.retry_after_seconds or _backoff_seconds(attempt)
            if not again or attempt == self._attempts:
                raise failed
            await anyio.sleep(min(wait, LONGEST_WAIT_SECONDS))
        raise AssertionError  # pragma: no cover  # the last attempt returns or raises

    async def _once(self, path: str, content: bytes, headers: Mapping[str, str]) -> bytes:
        try:
            answer = await self._client.post(self._base_url + path, content=content, headers=dict(headers))
        except httpx.TransportError as error:
            raise Unreachable(f"{self._base_url} does not answer: {error!r}") from error
        if answer.status_code == httpx.codes.OK:
            if len(answer.content) > ANSWER_BYTES_MAX:
                raise BadAnswer("an answer of more bytes than the service ever sends")
            return answer.content
        raise _refused(answer)


class _Problem(msgspec.Struct, rename="camel"):
    """The body of a refusal (RFC 9457), as far as the kit reads it."""

    code: str
    detail: str = ""
    errors: tuple[dict[str, Any], ...] = ()


def _refused(answer: httpx.Response) -> Refused | BadAnswer:
    try:
        problem = msgspec.json.decode(answer.content, type=_Problem)
    except msgspec.DecodeError:
        if answer.status_code >= httpx.codes.INTERNAL_SERVER_ERROR:
            problem = _Problem("unavailable", f"status {answer.status_code} of something in between")
        else:
            return BadAnswer(f"status {answer.status_code}, and no problem of the service's")
    return Refused(
        answer.status_code,
        problem.code,
        problem.detail,
        errors=problem.errors,
        request_id=answer.headers.get("x-request-id"),
        retry_after_seconds=_seconds(answer.headers.get("retry-after")),
    )


def _seconds(retry_after: str | None) -> float | None:
    return float(retry_after) if retry_after is not None and retry_after.isdecimal() else None


def _backoff_seconds(attempt: int) -> float:
    """Doubling, and spread out, so that many clients of a service that restarts do not come at once."""
    longest: float = min(FIRST_WAIT_SECONDS * 2 ** (attempt - 1), LONGEST_WAIT_SECONDS)
    return longest * (0.5 + random.random() / 2)  # noqa: S311  # no secret
