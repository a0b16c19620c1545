"""Tokens: exchanged for codes, refreshed and revoked."""

from collections.abc import Mapping
from typing import Final

import msgspec

from svc.actors.system import System
from svc.domain.crypto.keys import REFRESH_TOKEN, digest, new_key
from svc.domain.grants.oauth import OAuthRefusal, Scope, door_of
from svc.domain.locale.times import SECOND_MS
from svc.services.grants import clients
from svc.storage.grants import tokens
from svc.storage.grants.tokens import Exchange, Refresh, Refused, Tokens
from svc.storage.store import Owner

_UNKNOWN: Final = "it is unknown, expired or used, or the grant has ended"


class TokenAnswer(msgspec.Struct, frozen=True):
    """What a client is given (RFC 6749 §5.1)."""

    access_token: str
    expires_in: int
    """Seconds."""
    refresh_token: str
    scope: Scope
    token_type: str = "Bearer"  # noqa: S105  # the name of a scheme


class Client(msgspec.Struct, frozen=True):
    """Who a request says it comes from."""

    client_id: str
    secret: str | None


async def give(system: System, client: Client, given: Mapping[str, str], issuer: str) -> TokenAnswer:
    """Answer a token request with the parameters *given*. Raises `OAuthRefusal`."""
    verifier: str | None = None
    match given.get("grant_type"):
        case "authorization_code":
            secret = _needed(given, "code")
            verifier = _needed(given, "code_verifier")
        case "refresh_token":
            secret = _needed(given, "refresh_token")
        case None:
            raise OAuthRefusal("invalid_request", "`grant_type` is missing")
        case _:
            raise OAuthRefusal(
                "unsupported_grant_type", "`grant_type` is `authorization_code` or `refresh_token`"
            )
    await clients.authenticate(system, client.client_id, client.secret)
    resource = given.get("resource")
    door = None if resource is None else door_of(resource, [issuer])
    organization_id = await system.store.of(Owner.CREDENTIALS).read(tokens.owner_of, digest(secret))
    if organization_id is None:
        raise OAuthRefusal("invalid_grant", _UNKNOWN)
    units = system.store.of(organization_id)
    if verifier is None:
        refresh_token = system.grants.successor(secret)
        refresh = Refresh(token_digest=digest(secret), client_id=client.client_id, door=door)
        made = await units.write(tokens.refresh, refresh, digest(refresh_token))
    else:
        refresh_token = new_key(REFRESH_TOKEN, system.random)
        exchange = Exchange(
            code_digest=digest(secret),
            client_id=client.client_id,
            redirect_uri=given.get("redirect_uri"),
            verifier=verifier,
            door=door,
        )
        made = await units.write(tokens.exchange, exchange, digest(refresh_token))
    return _answer(made, refresh_token)


async def revoke(system: System, client: Client, given: Mapping[str, str]) -> None:
    """Revoke the token *given*. One that is unknown, or another client's, is passed over (RFC 7009 §2.2).

    Raises `OAuthRefusal` for a client that is not there, or does not show its secret.
    """
    token = _needed(given, "token")
    await clients.authenticate(system, client.client_id, client.secret)
    organization_id = await system.store.of(Owner.CREDENTIALS).read(tokens.owner_of, digest(token))
    if organization_id is not None:
        await system.store.of(organization_id).write(tokens.revoke, digest(token), client.client_id)


def _answer(made: Tokens | Refused, refresh_token: str) -> TokenAnswer:
    if isinstance(made, Refused):
        raise OAuthRefusal(made.error, made.reason)
    return TokenAnswer(
        access_token=made.access_token,
        expires_in=made.life_ms // SECOND_MS,
        refresh_token=refresh_token,
        scope="tools.read" if made.grant.reach == "read" else "tools",
    )


def _needed(given: Mapping[str, str], name: str) -> str:
    value = given.get(name)
    if value is None:
        raise OAuthRefusal("invalid_request", f"`{name}` is missing")
    return value
