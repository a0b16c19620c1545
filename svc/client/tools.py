"""The Tool API."""

from collections.abc import AsyncIterator
from typing import Any, Final, TypeVar, overload

import msgspec

from svc.client.errors import BadAnswer
from svc.client.transport import Transport

T = TypeVar("T")

_PATH: Final = "/api/v1/tools/"


class Tools(Transport):
    """Every tool that a key may call.

    async with Tools("https://svc.example.com", key) as tools:
        made = await tools.call("record.create", {"objectType": "contact", "properties": {"name": "Ada"}})
    """

    @overload
    async def call(
        self, name: str, asked: Any = None, *, idempotency_key: str | None = None
    ) -> dict[str, Any]: ...

    @overload
    async def call(
        self, name: str, asked: Any = None, *, answer: type[T], idempotency_key: str | None = None
    ) -> T: ...

    async def call(
        self,
        name: str,
        asked: Any = None,
        *,
        answer: Any = dict[str, Any],
        idempotency_key: str | None = None,
    ) -> Any:
        """What the tool *name* answers to *asked*: a mapping, or anything that msgspec encodes.

        The answer is a mapping, or of the type *answer*. A call that gets no answer is repeated; under its
        idempotency key, yours or a new one, it is done once. Raises `Refused`, `Unreachable` and `BadAnswer`.
        """
        body = await self.post(_PATH + name, {} if asked is None else asked, idempotency_key=idempotency_key)
        try:
            return msgspec.json.decode(body, type=answer)
        except msgspec.DecodeError as error:
            raise BadAnswer(f"{name} answered in another shape: {error}") from error

    async def pages(self, name: str, asked: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
        """The pages of a list, one after the other, to its end. Raises as `call` does."""
        cursor = None
        while True:
            page = await self.call(name, asked if cursor is None else asked | {"cursor": cursor})
            yield page
            cursor = page.get("nextCursor")
            if cursor is None:
                return
