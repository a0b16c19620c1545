"""Receiving pushes: an ASGI application for any server, at the connection's Bridge URL."""

import logging
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from typing import Any, Final

import msgspec

from svc.client.bridge import Bridge, Courier, Health
from svc.client.channel import Channel
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
    """Answers the service's pushes: 204 once the messenger has the reply, 503 to have it sent again.

    Two secrets may be given while one is being replaced.
    """

    def __init__(self, bridge: Bridge, channel: Channel, secrets: Sequence[str]) -> None:
        self._courier = Courier(bridge, channel, Health(channel))
        self._secrets = tuple(secrets)

    async def __call__(
        self,
        scope: _Message,
        receive: Callable[[], Awaitable[_Message]],
        send: Callable[[_Message], Awaitable[None]],
    ) -> None:
        """ASGI."""
        if scope["type"] != "http":
            raise RuntimeError(f"no {scope['type']} here")
        status = await self._answer(scope, receive)
        await send({"type": "http.response.start", "status": status, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})

    async def _answer(self, scope: _Message, receive: Callable[[], Awaitable[_Message]]) -> int:
        if scope["method"] != "POST":
            return 405
        body = await _read(receive)
        if body is None:
            return 413
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        if not self._is_ours(headers, body):
            return 401
        try:
            push = msgspec.json.decode(body, type=_Push)
            reply = msgspec.json.decode(push.data, type=Reply) if push.type == "message.outbound" else None
        except msgspec.DecodeError:
            return 400
        if reply is None:
            return 204  # a ping, or what a newer service may send
        return 204 if await self._courier.carry(reply, DELIVERY_SECONDS) else 503

    def _is_ours(self, headers: dict[str, str], body: bytes) -> bool:
        for secret in self._secrets:
            try:
                verify(secret, headers, body)
            except BadSignature as error:
                log.info("not taken: %s", error)
            else:
                return True
        return False


async def _read(receive: Callable[[], Awaitable[_Message]]) -> bytes | None:
    """The body; None for one that is too long."""
    body: bytes = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > BODY_BYTES_MAX:
            return None
        if not message.get("more_body", False):
            return body
