"""The receiver of pushed replies, an ASGI application."""

import logging
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any, Final

import msgspec

from svc.client.delivery import Deliverer
from svc.client.limits import PUSH_ANSWER_SECONDS
from svc.client.messages import Reply
from svc.client.webhooks import BadSignature, verify

log = logging.getLogger("svc.client.receiver")

MARGIN_SECONDS: Final = 2
"""How long before the service stops waiting for a response a delivery is cancelled."""
DELIVERY_SECONDS: Final = float(PUSH_ANSWER_SECONDS - MARGIN_SECONDS)
BODY_BYTES_MAX: Final = 1024 * 1024

_Message = MutableMapping[str, Any]


class _Push(msgspec.Struct):
    type: str
    data: msgspec.Raw = msgspec.Raw(b"{}")


class PushReceiver:
    """An ASGI application that receives pushed replies. Serve it at the connection's push URL.

    Pass it to `run_bridge` as well, in the same program: it accepts replies only while that runs.

    It responds with 204 once the reply is delivered and its status reported: after that the service never
    pushes the reply again. It responds with 503 if that failed, so that the push is retried, and with 401 to
    a push without a valid signature.
    """

    def __init__(self, secrets: str | Iterable[str], *, clock: Callable[[], float] = time.time) -> None:
        """*secrets*: the signing secret, or several while it is being replaced. *clock* returns Unix time."""
        self._clock = clock
        self.renew(secrets)
        self._deliverer: Deliverer | None = None

    def renew(self, secrets: str | Iterable[str]) -> None:
        """Replace the signing secrets: from now on, only pushes that these sign are accepted."""
        self._secrets = (secrets,) if isinstance(secrets, str) else tuple(secrets)

    def open(self, deliverer: Deliverer) -> None:
        """Accept pushes, and pass them to *deliverer*. `run_bridge` calls it."""
        self._deliverer = deliverer

    def close(self) -> None:
        """Reject pushes from now on with 503. `run_bridge` calls it."""
        self._deliverer = None

    async def __call__(
        self,
        scope: _Message,
        receive: Callable[[], Awaitable[_Message]],
        send: Callable[[_Message], Awaitable[None]],
    ) -> None:
        """Respond to one request. See the ASGI specification."""
        if scope["type"] != "http":
            raise RuntimeError(
                f"no {scope['type']} here"
            )  # as ASGI demands: servers then continue without it
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
            return _NO_CONTENT  # a ping, or a type of a newer service
        deliverer = self._deliverer
        return _NO_CONTENT if deliverer and await deliverer.deliver(reply, DELIVERY_SECONDS) else 503

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
    """The body of the request; None if it is too long."""
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > BODY_BYTES_MAX:
            return None
        if not message.get("more_body", False):
            return bytes(body)
