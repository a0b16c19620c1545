"""How the doors of people read requests and answer them."""

from http import HTTPStatus
from typing import Any, Final, TypeVar, cast

import msgspec
from quart import Response, request

from svc.actors.system import System
from svc.domain.errors import Forbidden
from svc.domain.input import json as json_input
from svc.http.quart_app import current_request
from svc.http.request.client_address import address_of
from svc.http.request.json_body import check_type
from svc.http.request.session_cookie import (
    BROWSER_COOKIE,
    CSRF_HEADER,
    SESSION_COOKIE,
    cookie_name,
    guarded_token,
    session_token,
)
from svc.http.request.transport import Transport
from svc.services.identity.sign_in import Browser

BODY_BYTES_MAX: Final = 16_384

T = TypeVar("T")


class PersonDoor:
    """The base of the views: the browser that asks, and its session."""

    def __init__(self, system: System, transport: Transport) -> None:
        self._system = system
        self._transport = transport

    def _browser(self) -> Browser:
        peer, headers = current_request().peer, list(request.scope["headers"])
        return Browser(
            address_of(peer, headers, self._transport.trusted_proxies),
            request.headers.get("User-Agent", ""),
            self._cookie(SESSION_COOKIE),
            self._cookie(BROWSER_COOKIE),
        )

    def _cookie(self, name: str) -> str | None:
        return request.cookies.get(cookie_name(name, encrypted=self._is_encrypted()))

    def _session_token(self) -> str:
        return session_token(self._cookie(SESSION_COOKIE))

    def _guarded_token(self) -> str:
        """The session's token, of a request with its CSRF token.

        Raises `Unauthenticated` without a session cookie, and `Forbidden` if the CSRF token is missing or
        wrong.
        """
        return guarded_token(self._cookie(SESSION_COOKIE), request.headers.get(CSRF_HEADER))

    def _is_encrypted(self) -> bool:
        peer, headers = current_request().peer, list(request.scope["headers"])
        return self._transport.is_encrypted(request.scheme, peer, headers)

    def _check_origin(self) -> None:
        """Reject login CSRF: a page of another site that signs a browser in. Programs send no `Origin`.

        Raises `Forbidden` for a request from a page of another site.
        """
        origin = request.headers.get("Origin")
        peer, headers = current_request().peer, list(request.scope["headers"])
        if origin is not None and not self._transport.is_own_origin(origin, request.scheme, peer, headers):
            raise Forbidden(
                "a page of another site cannot sign anybody in; if this is a page of the service, its address"
                " is not the one that the service knows: set server.public_url"
            )


async def read_body(shape: type[T]) -> T:
    """Decode the JSON body as *shape*.

    Raises:
        NotJson: it is not declared as JSON.
        MalformedJson: it is not JSON.
        InvalidInput: it does not fit *shape*.
    """
    current_request().max_content_length = BODY_BYTES_MAX
    check_type(request.headers.get("Content-Type"))
    raw = cast("bytes", await request.get_data(as_text=False))
    return json_input.read(msgspec.json.Decoder(shape), raw)


def json_answer(value: Any) -> Response:
    """*value* as JSON."""
    return no_store(Response(msgspec.json.encode(value), content_type="application/json"))


def no_content() -> Response:
    """204."""
    answer = Response(b"", status=HTTPStatus.NO_CONTENT)
    del answer.headers["Content-Type"]
    return no_store(answer)


def no_store(answer: Response) -> Response:
    """*answer*, which no cache may keep."""
    answer.headers["Cache-Control"] = "no-store"
    answer.headers["X-Content-Type-Options"] = "nosniff"
    return answer
