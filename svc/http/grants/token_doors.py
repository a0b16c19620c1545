"""`/oauth/token`, `/oauth/revoke` and `/oauth/register`: what clients call themselves.

They take no cookie, so pages of any origin may call them.
"""

import binascii
from base64 import b64decode
from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import parse_qsl, unquote_plus

import structlog
from werkzeug.exceptions import MethodNotAllowed

from svc.actors.system import System
from svc.domain.grants.limits import REGISTRATION_BODY_BYTES_MAX, TOKEN_BODY_BYTES_MAX
from svc.domain.grants.oauth import OAuthRefusal, one_each
from svc.domain.locale.times import SECOND_MS
from svc.domain.net.client_addresses import Network
from svc.http.fast_path import Answer, Request
from svc.http.grants.answers import error_answer, preflight, refusal_answer, secret_answer
from svc.http.grants.places import Issuer
from svc.http.problems.call_problems import log_fault
from svc.http.problems.problems import is_fault
from svc.http.request.client_address import address_of
from svc.http.request.json_body import check_type
from svc.services.grants import clients, tokens
from svc.services.grants.tokens import Client

log = structlog.get_logger("svc.http.grants")

_FORM: Final = "application/x-www-form-urlencoded"
_OF_CLIENT: Final = ("client_id", "client_secret")
_OF_TOKEN: Final = (
    "grant_type",
    "code",
    "redirect_uri",
    "code_verifier",
    "refresh_token",
    "resource",
    "scope",
)
_OF_REVOCATION: Final = ("token", "token_type_hint")
_METHODS: Final = b"POST, OPTIONS"


class ClientDoor:
    """The base of these doors: POST alone, and preflights of pages."""

    def __init__(self, system: System, issuer: Issuer) -> None:
        self._system = system
        self._issuer = issuer

    async def __call__(self, request: Request) -> Answer:
        if request.method == "OPTIONS":
            return preflight(request, _METHODS)
        if request.method != "POST":
            raise MethodNotAllowed(["POST", "OPTIONS"])
        return await self._answer(request)

    def problem_for(self, request: Request, error: Exception) -> Answer:
        """Answer *error* as OAuth has it; faults of this service are logged."""
        if isinstance(error, OAuthRefusal):
            return refusal_answer(error, basic=request.header(b"authorization") is not None)
        if is_fault(error):
            log_fault(log, request, error)
        return error_answer(request, error)

    async def _answer(self, request: Request) -> Answer:
        raise NotImplementedError


class TokenDoor(ClientDoor):
    """`POST /oauth/token` (RFC 6749 §4.1.3 and §6)."""

    async def _answer(self, request: Request) -> Answer:
        given = await _form(request, (*_OF_CLIENT, *_OF_TOKEN))
        issuer = self._issuer.of_request(request)
        if issuer is None:
            raise OAuthRefusal(
                "invalid_request", "this service has no address of that name: set server.public_url"
            )
        return secret_answer(200, await tokens.give(self._system, _client(request, given), given, issuer))


class RevocationDoor(ClientDoor):
    """`POST /oauth/revoke` (RFC 7009): 200 whether there was such a token or not."""

    async def _answer(self, request: Request) -> Answer:
        given = await _form(request, (*_OF_CLIENT, *_OF_REVOCATION))
        await tokens.revoke(self._system, _client(request, given), given)
        return secret_answer(200, {})


class RegistrationDoor(ClientDoor):
    """`POST /oauth/register` (RFC 7591)."""

    def __init__(self, system: System, issuer: Issuer, trusted_proxies: Iterable[Network]) -> None:
        super().__init__(system, issuer)
        self._trusted_proxies = tuple(trusted_proxies)

    async def _answer(self, request: Request) -> Answer:
        check_type(request.text("content-type"))
        raw = await request.read(REGISTRATION_BODY_BYTES_MAX)
        address = address_of(request.client, request.headers, self._trusted_proxies)
        app, secret, method = await clients.register(self._system, raw, address)
        registered = {
            "client_id": app.id,
            "client_id_issued_at": app.created_at // SECOND_MS,
            "client_name": app.name,
            "redirect_uris": app.redirect_uris,
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": method,
        }
        if secret is not None:
            registered |= {"client_secret": secret, "client_secret_expires_at": 0}
        return secret_answer(201, registered)


async def _form(request: Request, known: Iterable[str]) -> dict[str, str]:
    """The parameters of the body. Raises `OAuthRefusal` for one twice, and for a body that is no form."""
    content_type = (request.text("content-type") or "").partition(";")[0].strip().lower()
    if content_type != _FORM:
        raise OAuthRefusal("invalid_request", f"send `Content-Type: {_FORM}`")
    body = await request.read(TOKEN_BODY_BYTES_MAX)
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=True, errors="strict", max_num_fields=50)
    except ValueError:
        raise OAuthRefusal("invalid_request", "the body is no form") from None
    return one_each(pairs, known)


def _client(request: Request, given: Mapping[str, str]) -> Client:
    """Who sends *request*: by the header or by the body, and not by both (RFC 6749 §2.3).

    Raises `OAuthRefusal`.
    """
    authorization = request.text("authorization")
    client_id, secret = given.get("client_id"), given.get("client_secret")
    if authorization is None:
        if client_id is None:
            raise OAuthRefusal("invalid_client", "`client_id` is missing")
        return Client(client_id, secret)
    name, password = _basic(authorization)
    if secret is not None or client_id not in {None, name}:
        raise OAuthRefusal("invalid_request", "the client is named twice, and differently")
    return Client(name, password)


def _basic(authorization: str) -> tuple[str, str | None]:
    scheme, _, encoded = authorization.partition(" ")
    try:
        encoded = encoded if scheme.lower() == "basic" else "?"
        name, _, password = b64decode(encoded.strip(), validate=True).decode().partition(":")
    except (ValueError, binascii.Error):
        raise OAuthRefusal("invalid_client", "`Authorization` names no client") from None
    return unquote_plus(name), unquote_plus(password) or None
