"""Receiving pushes: an ASGI application for any server, at the connection's Bridge URL."""

import logging
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any, Final

import msgspec

from svc.client.delivery import Courier
from svc.client.messages import Reply
from svc.client.webhooks import BadSignature, verify

log = logging.getLogger("svc.client.receiver")

DELIVERY_SECONDS: Final = 8.0
"""The service waits for ten."""
BODY_BYTES_MAX: Final = 1024 * 1024

_Message = MutableMapping[str, Any]


class _Push(msgspec.Struct):
    type: str
    data: msgspec.Raw = msgspec.Raw(b"{}")


class PushReceiver:
    """Answers pushes: 204 once the messenger has the reply and the service knows, 503 to have it sent again.

    A 204 is the end, the service never pushes that reply again: it is only given once the outcome is told.
    What is not signed gets 401. It takes replies while `run_bridge` has it, and none before and after.
    """

    def __init__(self, secrets: str | Iterable[str], *, clock: Callable[[], float] = time.time) -> None:
        """Two secrets may be given while one is being replaced. *clock* tells Unix seconds."""
        self._clock = clock
        self.renew(secrets)
        self._courier: Courier | None = None

    def renew(self, secrets: str | Iterable[str]) -> None:
        """Take what these secrets sign from now on, and nothing that others do."""
        self._secrets = (secrets,) if isinstance(secrets, str) else tuple(secrets)

    def open(self, courier: Courier) -> None:
        """Have *courier* carry what comes."""
        self._courier = courier

    def close(self) -> None:
        """Take nothing more."""
        self._courier = None

    async def __call__(
        self,
        scope: _Message,
        receive: Callable[[], Awaitable[_Message]],
        send: Callable[[_Message], Awaitable[None]],
    ) -> None:
        """ASGI."""
        if scope["type"] != "http":
            raise RuntimeError(f"no {scope['type']} here")  # how ASGI has it: servers go on without it
        status = await self._answer(scope, receive)
        headers = [(b"content-length", b"0")] if status != _NO_CONTENT else []
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    async def _answer(self, scope: _Message, receive: Callable[[], Awaitable[_Message]]) -> int:
        if scope["method"] != "POST":
            return 405
        body = await _read(receive)
        if body is None:
            return 413
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        if not self._is_signed(headers, body):
            return 401
        try:
            push = msgspec.json.decode(body, type=_Push)
            reply = msgspec.json.decode(push.data, type=Reply) if push.type == "message.outbound" else None
        except msgspec.DecodeError as error:
            log.error("a push in another shape: %s", error)  # noqa: TRY400
            return 400
        if reply is None:
            return _NO_CONTENT  # a ping, or what a newer service may send
        courier = self._courier
        return _NO_CONTENT if courier and await courier.carry(reply, DELIVERY_SECONDS) else 503

    def _is_signed(self, headers: dict[str, str], body: bytes) -> bool:
        for secret in self._secrets:
            try:
                verify(secret, headers, body, now=self._clock())
            except BadSignature as error:
                log.info("not taken: %s", error)
            else:
                return True
        return False


_NO_CONTENT: Final = 204


async def _read(receive: Callable[[], Awaitable[_Message]]) -> bytes | None:
    """The body, as far as it came; None for one that is too long."""
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > BODY_BYTES_MAX:
            return None
        if not message.get("more_body", False):
            return bytes(body)
