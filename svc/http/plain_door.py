"""The listener on port 80, where TLS is the service's own: ACME challenges, and the way to https."""

from collections.abc import Collection
from http import HTTPStatus
from typing import Final

from svc.actors.certificates.issuer import Challenges
from svc.domain.randomness import Randomness
from svc.http.asgi import ASGIApp, Receive, Scope, Send
from svc.http.request.request_id import REQUEST_ID_HEADER, request_id_of

_CHALLENGE: Final = "/.well-known/acme-challenge/"
_HTTPS: Final = 443
_TEXT: Final = (b"content-type", b"text/plain; charset=utf-8")


def plain_app(challenges: Challenges, names: Collection[str], https_port: int, random: Randomness) -> ASGIApp:
    """The application: what is not a challenge is redirected to the same name and path at *https_port*.

    Only *names* are: a `Host` is anybody's word, and what it names may be anybody's site.
    """
    port = "" if https_port == _HTTPS else f":{https_port}"

    async def app(scope: Scope, _receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await send({"type": "websocket.close"})
            return
        host = _host(scope)
        path: str = scope["path"]
        if path.startswith(_CHALLENGE):
            answer = challenges.answer(path.removeprefix(_CHALLENGE))
            status = HTTPStatus.NOT_FOUND if answer is None else HTTPStatus.OK
            content = (answer or "there is no such challenge\n").encode()
            headers = [(b"content-type", b"application/octet-stream") if answer else _TEXT]
        elif host in names:
            query = scope["query_string"]
            target = scope["raw_path"] + (b"?" + query if query else b"")
            status, content = HTTPStatus.PERMANENT_REDIRECT, b""
            headers = [(b"location", f"https://{host}{port}".encode() + target)]
        else:
            status, content = HTTPStatus.MISDIRECTED_REQUEST, b"this name is not served here\n"
            headers = [_TEXT]
        headers += [
            (b"content-length", str(len(content)).encode()),
            (b"cache-control", b"no-store"),
            (REQUEST_ID_HEADER, request_id_of(scope["headers"], random)),
        ]
        await send({"type": "http.response.start", "status": int(status), "headers": headers})
        body = b"" if scope["method"] == "HEAD" else content
        await send({"type": "http.response.body", "body": body})

    return app


def _host(scope: Scope) -> str:
    """The name in `Host`, without a port."""
    host = next((value for name, value in scope["headers"] if name == b"host"), b"").decode("latin-1")
    return host.partition(":")[0].lower().removesuffix(".")
