"""Calling tools."""

from collections.abc import AsyncIterator
from typing import Any, Final, TypeVar, overload

import msgspec

from svc.client.errors import BadAnswer
from svc.client.transport import Transport

T = TypeVar("T")

_PATH: Final = "/api/v1/tools/"


class Tools(Transport):
    """A client of the Tool API, with an API key.

    async with Tools("https://svc.example.com", key) as tools:
        made = await tools.call("record.create", {"objectType": "contact", "properties": {"name": "Ada"}})
    """

    @overload
    async def call(
        self, name: str, body: Any = None, *, idempotency_key: str | None = None
    ) -> dict[str, Any]: ...

    @overload
    async def call(
        self, name: str, body: Any = None, *, answer: type[T], idempotency_key: str | None = None
    ) -> T: ...

    async def call(
        self,
        name: str,
        body: Any = None,
        *,
        answer: Any = dict[str, Any],
        idempotency_key: str | None = None,
    ) -> Any:
        """Call the tool *name*, and return its answer.

        A call that gets no response is retried under its idempotency key, so it takes effect once.

        Args:
            name: such as `record.create`.
            body: the tool's input, a mapping or anything that msgspec encodes.
            answer: the type to decode the answer to, such as a `msgspec.Struct`; a mapping by default.
            idempotency_key: a key of your own, such as one that is stored, to repeat the call safely even
                after a restart; a new one for each call by default.

        Raises:
            Refused: the service rejects the call.
            Unreachable: no attempt got a response.
            BadAnswer: the response is not the service's, or not of the type *answer*.
        """
        content = await self.post(_PATH + name, {} if body is None else body, idempotency_key=idempotency_key)
        try:
            return msgspec.json.decode(content, type=answer)
        except msgspec.DecodeError as error:
            raise BadAnswer(f"{name} answered in another shape: {error}") from error

    async def pages(self, name: str, body: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
        """The pages of a tool that lists, such as `record.list`, up to the last. Raises as `call` does."""
        cursor = None
        while True:
            page = await self.call(name, body if cursor is None else body | {"cursor": cursor})
            yield page
            cursor = page.get("nextCursor")
            if cursor is None:
                return
