"""Authorization requests: checked when an app sends a person here, and kept until they decide."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import parse_qsl

import msgspec

from svc.actors.system import System
from svc.domain.crypto.keys import digest, new_key
from svc.domain.grants.apps import App, host_of
from svc.domain.grants.limits import CLIENT_ID_CHARS_MAX, STATE_CHARS_MAX
from svc.domain.grants.oauth import (
    BadRedirect,
    OAuthRefusal,
    answer_address,
    door_of,
    is_challenge,
    is_state,
    one_each,
    redirect_fits,
    scope_of,
)
from svc.domain.net.client_addresses import sender_of
from svc.services.grants import clients
from svc.storage.grants import requests
from svc.storage.grants.requests import AuthorizationRequest
from svc.storage.store import Owner

REQUEST: Final = "svcq_"
"""The prefix of the token in the address of the screen."""
_CLIENT: Final = ("client_id", "redirect_uri")
_REST: Final = (
    "response_type",
    "scope",
    "state",
    "code_challenge",
    "code_challenge_method",
    "resource",
    "request",
    "request_uri",
)


class ToScreen(msgspec.Struct, frozen=True):
    """The request waits for its person, under this token."""

    token: str


class ToClient(msgspec.Struct, frozen=True):
    """The request is refused, and the client is told at this address."""

    address: str


async def begin(system: System, query: str, issuer: str, address: str) -> ToScreen | ToClient:
    """Check the authorization request in *query*, sent from the IP *address*, and keep it.

    *issuer* is the address of this installation, as the client knows it.

    Raises:
        BadRedirect: the client or the redirect address is not known, so nothing may be sent to it.
        TooManyAttempts, Unavailable: too many requests wait.
    """
    pairs = parse_qsl(query, keep_blank_values=True)
    sender = sender_of(address, system.secrets.sender)
    try:
        app, redirect_uri = await _client(system, pairs, sender)
    except OAuthRefusal as refusal:
        raise BadRedirect(f"{refusal}. Begin again in the app, or ask those who make it.") from None
    states = [value for name, value in pairs if name == "state"]
    state = states[0] if len(states) == 1 and is_state(states[0]) else None
    try:
        request = _request(app, redirect_uri, state, pairs, issuer)
    except OAuthRefusal as refusal:
        return ToClient(
            answer_address(
                redirect_uri, error=refusal.error, error_description=str(refusal), state=state, iss=issuer
            )
        )
    token = new_key(REQUEST, system.random)
    await system.store.of(Owner.PEOPLE).write(requests.add, request, digest(token), sender)
    return ToScreen(token)


async def _client(system: System, pairs: Sequence[tuple[str, str]], sender: str) -> tuple[App, str]:
    given = one_each(pairs, _CLIENT)
    client_id = given.get("client_id", "")
    if not 0 < len(client_id) <= CLIENT_ID_CHARS_MAX:
        raise OAuthRefusal("invalid_request", "`client_id` is missing or too long")
    app = await clients.find(system, client_id, sender)
    redirect_uri = given.get("redirect_uri")
    if redirect_uri is None:
        if len(app.redirect_uris) != 1:
            raise OAuthRefusal("invalid_request", "`redirect_uri` is missing")
        [redirect_uri] = app.redirect_uris
    if not redirect_fits(app.redirect_uris, redirect_uri):
        raise OAuthRefusal(
            "invalid_request", "`redirect_uri` is none of those that the client has registered"
        )
    return app, redirect_uri


def _request(
    app: App, redirect_uri: str, state: str | None, pairs: Sequence[tuple[str, str]], issuer: str
) -> AuthorizationRequest:
    given = one_each(pairs, _REST)
    if "request" in given or "request_uri" in given:
        raise OAuthRefusal("invalid_request", "parameters are taken from the query alone")
    if given.get("response_type") != "code":
        raise OAuthRefusal("unsupported_response_type", "`response_type` is `code`")
    if "state" in given and state is None:
        raise OAuthRefusal(
            "invalid_request", f"`state` is over {STATE_CHARS_MAX} characters, or has control characters"
        )
    if given.get("code_challenge_method") != "S256" or not is_challenge(given.get("code_challenge", "")):
        raise OAuthRefusal("invalid_request", "`code_challenge` is needed, by the method `S256`")
    return AuthorizationRequest(
        app_id=app.id,
        client_id=app.client_id,
        app_name=app.name,
        app_host=host_of(app, redirect_uri),
        organization_id=app.organization_id,
        redirect_uri=redirect_uri,
        state=state,
        challenge=given["code_challenge"],
        scope=scope_of(given.get("scope")),
        door=door_of(given.get("resource"), [issuer]),
        issuer=issuer,
    )
