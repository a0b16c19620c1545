"""`GET /oauth/authorize`: where an app sends a person, who goes on to the screen."""

from http import HTTPStatus
from typing import Final

from quart import Blueprint, redirect, request
from quart.typing import ResponseReturnValue

from svc.actors.system import System
from svc.domain.grants.oauth import BadRedirect
from svc.http.grants.places import AUTHORIZE, Issuer
from svc.http.quart_app import current_request
from svc.http.request.client_address import address_of
from svc.http.request.transport import Transport
from svc.services.grants import requests
from svc.services.grants.requests import ToScreen

SCREEN: Final = "/app/allow"
_QUERY_BYTES_MAX: Final = 16_000


def authorize_page(system: System, transport: Transport, issuer: Issuer) -> Blueprint:
    """The blueprint of the door. Errors that may not be sent to the client are pages of this service."""
    pages = Blueprint("authorize", __name__)

    async def authorize() -> ResponseReturnValue:
        # A person is sent here. A picture or a frame of any page could use up what waits of their address.
        if request.headers.get("Sec-Fetch-Dest", "document") != "document":
            raise BadRedirect("An app opens this address as a page of its own.")
        asked = current_request()
        scheme = "https" if transport.is_encrypted(request.scheme, asked.peer, _headers()) else "http"
        base = issuer.of(scheme, request.headers.get("Host"))
        query: bytes = request.query_string
        if base is None or len(query) > _QUERY_BYTES_MAX:
            raise BadRedirect("This service is not known by that name, or too much was sent.")
        address = address_of(asked.peer, _headers(), transport.trusted_proxies)
        begun = await requests.begin(system, query.decode("latin-1"), base, address)
        if isinstance(begun, ToScreen):
            return _see_other(f"{SCREEN}?request={begun.token}")
        return _see_other(begun.address)

    pages.add_url_rule(AUTHORIZE, "authorize", authorize, methods=["GET"])
    return pages


def _headers() -> list[tuple[bytes, bytes]]:
    return list(request.scope["headers"])


def _see_other(target: str) -> ResponseReturnValue:
    answer = redirect(target, HTTPStatus.SEE_OTHER)
    answer.headers["Cache-Control"] = "no-store"
    answer.headers["Referrer-Policy"] = "no-referrer"
    return answer
