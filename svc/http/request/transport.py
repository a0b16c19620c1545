"""Whether the browser's connection is encrypted, and `Strict-Transport-Security` (RFC 6797)."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

import msgspec

from svc.domain.net.client_addresses import Network, is_trusted
from svc.domain.net.origins import same_origin
from svc.http.asgi import ASGIApp, Headers, Message, Receive, Scope, Send

_LOCAL: Final = b"localhost"
"""Gets no `Strict-Transport-Security`: it would apply to every other program on the machine."""


class Transport(msgspec.Struct, frozen=True):
    """The configuration of the way between browsers and this server."""

    trusted_proxies: Sequence[Network] = ()
    public_url: str = ""
    """`server.public_url`. If it is https, proxies are reached by TLS alone."""

    def is_encrypted(self, scheme: str, peer: str, headers: Headers) -> bool:
        """Whether a request reached this server, or a trusted proxy, by TLS. *peer* is the socket's peer."""
        if scheme == "https":
            return True
        claims_https = self.public_url.startswith("https://") or any(
            name == b"x-forwarded-proto" and value.lower() == b"https" for name, value in headers
        )
        return claims_https and is_trusted(peer, self.trusted_proxies)

    def is_own_origin(self, origin: str, scheme: str, peer: str, headers: Headers) -> bool:
        """Whether *origin* is that of a page of this service, at the address that a request was sent to.

        Or at `server.public_url`, which a proxy need not repeat in `Host`.
        """
        public = urlsplit(self.public_url)
        if same_origin(origin, public.scheme, public.netloc):
            return True
        host = next((value for name, value in headers if name == b"host"), b"").decode("latin-1")
        return same_origin(origin, "https" if self.is_encrypted(scheme, peer, headers) else "http", host)


class StrictTransport:
    """ASGI middleware that adds `Strict-Transport-Security` to answers over TLS."""

    def __init__(self, app: ASGIApp, transport: Transport, seconds: int) -> None:
        self._app = app
        self._transport = transport
        self._header = (b"strict-transport-security", b"max-age=%d" % seconds)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] != "http" or not self._applies(scope):
            await self._app(scope, receive, send)
            return

        async def send_strictly(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], self._header]}
            await send(message)

        await self._app(scope, receive, send_strictly)

    def _applies(self, scope: Scope) -> bool:
        headers: Headers = scope["headers"]
        host = next((value for name, value in headers if name == b"host"), b"")
        if host.partition(b":")[0].lower() == _LOCAL:
            return False
        peer = scope["client"][0] if scope["client"] else ""
        return self._transport.is_encrypted(scope.get("scheme", "http"), peer, headers)
