"""Codes and tokens: what an app exchanges for what. Units of the organization whose grant it is.

A unit that refuses may have to write as well: a code or an old refresh token that comes twice ends its grant.
So these return `Refused` instead of raising, which would roll that back.
"""

from typing import Final, Literal

import msgspec
import sqlalchemy as sa

from svc.domain.crypto.keys import ACCESS_TOKEN, digest, new_key
from svc.domain.errors import TooManyAttempts
from svc.domain.grants.limits import (
    ACCESS_TOKEN_LIFE_MS,
    ACCESS_TOKENS_OF_GRANT_MAX,
    CODE_LIFE_MS,
    REFRESH_REPEAT_MS,
    REFRESH_TOKEN_IDLE_MS,
)
from svc.domain.grants.oauth import verifier_fits
from svc.domain.identity.access import key_stop
from svc.storage.grants import tables
from svc.storage.identity import access, grant_ends, grants
from svc.storage.identity import tables as identity_tables
from svc.storage.identity.grants import Grant
from svc.storage.rows import Rows
from svc.storage.store import Tx


class Exchange(msgspec.Struct, frozen=True, kw_only=True):
    """What a client sends to exchange a code. Everything but the code itself is checked against it."""

    code_digest: str
    client_id: str
    redirect_uri: str | None
    verifier: str
    door: str | None
    """The door that its `resource` names; None where it names none."""


class Refresh(msgspec.Struct, frozen=True, kw_only=True):
    """What a client sends to refresh."""

    token_digest: str
    client_id: str
    door: str | None


class Tokens(msgspec.Struct, frozen=True, kw_only=True):
    """What an exchange gives. The access token is not stored; the refresh token is the caller's own."""

    access_token: str
    life_ms: int
    grant: Grant


class Refused(msgspec.Struct, frozen=True):
    """Why nothing is given. *error* is a code of OAuth."""

    error: Literal["invalid_grant", "invalid_target"]
    reason: str


class _Code(msgspec.Struct, frozen=True, kw_only=True):
    grant_id: str
    redirect_uri: str
    challenge: str
    created_at: int
    expires_at: int
    used_at: int | None


class _RefreshToken(msgspec.Struct, frozen=True, kw_only=True):
    grant_id: str
    expires_at: int
    used_at: int | None
    successor: str | None


_code: Final = tables.authorization_codes.c
_refresh: Final = tables.refresh_tokens.c
_CODES: Final = Rows(tables.authorization_codes, _Code, beside=["digest", "organization_id"])
_REFRESH: Final = Rows(
    tables.refresh_tokens, _RefreshToken, beside=["digest", "organization_id", "created_at"]
)
_UNKNOWN: Final = Refused("invalid_grant", "it is unknown, expired or used, or the grant has ended")
_OTHER_DOOR: Final = Refused("invalid_target", "`resource` is not what the person has allowed")


def add_code(tx: Tx, grant: Grant, code_digest: str, redirect_uri: str, challenge: str) -> None:
    """Store the code of a new grant."""
    code = _Code(
        grant_id=grant.id,
        redirect_uri=redirect_uri,
        challenge=challenge,
        created_at=tx.now,
        expires_at=tx.now + CODE_LIFE_MS,
        used_at=None,
    )
    _CODES.insert(tx.conn, code, digest=code_digest, organization_id=grant.organization_id)


def owner_of(conn: sa.Connection, secret_digest: str) -> str | None:
    """The organization of the code, refresh token or access token with that digest."""
    for table in (tables.authorization_codes, tables.refresh_tokens, identity_tables.access_tokens):
        select = sa.select(table.c.organization_id).where(table.c.digest == secret_digest)
        if found := conn.scalar(select):
            return str(found)
    return None


def exchange(tx: Tx, asked: Exchange, refresh_digest: str) -> Tokens | Refused:
    """Exchange a code for an access token, and for the refresh token of *refresh_digest*.

    A code that was used already ends the grant that it gave, whoever sends it (RFC 6749 §4.1.2).
    """
    code = _CODES.one(tx.conn, _CODES.select(_code.digest == asked.code_digest))
    grant = None if code is None else grants.get(tx.conn, code.grant_id)
    if code is None or grant is None:
        return _UNKNOWN
    if code.used_at is not None:
        grant_ends.end(tx, grant.organization_id, "reused", identity_tables.grants.c.id == grant.id)
        return _UNKNOWN
    if tx.now >= code.expires_at or grant.client_id != asked.client_id or not _works(tx, grant):
        return _UNKNOWN
    if asked.redirect_uri is not None and asked.redirect_uri != code.redirect_uri:
        return Refused("invalid_grant", "`redirect_uri` is not that of the authorization request")
    if not verifier_fits(asked.verifier, code.challenge):
        return Refused("invalid_grant", "`code_verifier` does not fit the challenge")
    if asked.door not in {None, grant.door}:
        return _OTHER_DOOR
    tx.conn.execute(_CODES.update(_code.digest == asked.code_digest, used_at=tx.now))
    return _give(tx, grant, refresh_digest)


def refresh(tx: Tx, asked: Refresh, successor: str) -> Tokens | Refused:
    """Exchange a refresh token for an access token, and for the refresh token with the digest *successor*.

    That follows from the old one, so one that comes again is answered with the same: answers get lost, and
    clients refresh from several processes at once. It may come again for a minute while its successor is
    unused; else it was stolen, from this client or by it, and the grant ends (RFC 9700 §4.14.2).
    """
    token = _REFRESH.one(tx.conn, _REFRESH.select(_refresh.digest == asked.token_digest))
    grant = None if token is None else grants.get(tx.conn, token.grant_id)
    if token is None or grant is None or tx.now >= token.expires_at:
        return _UNKNOWN
    if grant.client_id != asked.client_id or not _works(tx, grant):
        return _UNKNOWN
    if asked.door not in {None, grant.door}:
        return _OTHER_DOOR
    if token.used_at is None:
        own = _refresh.digest == asked.token_digest
        tx.conn.execute(_REFRESH.update(own, used_at=tx.now, successor=successor))
        return _give(tx, grant, successor)
    if not _may_come_again(tx, token):
        grant_ends.end(tx, grant.organization_id, "reused", identity_tables.grants.c.id == grant.id)
        return _UNKNOWN
    return _give(tx, grant, None)


def revoke(tx: Tx, token_digest: str, client_id: str) -> bool:
    """End what the token is: an access token itself, a refresh token with all of its grant (RFC 7009 §2.1).

    False where it is not the client's.
    """
    access_token = tx.conn.execute(
        sa.select(
            identity_tables.access_tokens.c.grant_id, identity_tables.access_tokens.c.organization_id
        ).where(identity_tables.access_tokens.c.digest == token_digest)
    ).one_or_none()
    token = _REFRESH.one(tx.conn, _REFRESH.select(_refresh.digest == token_digest))
    grant_id = access_token.grant_id if access_token else token.grant_id if token else ""
    grant = grants.get(tx.conn, grant_id)
    if grant is None or grant.client_id != client_id:
        return False
    if access_token:
        grant_ends.drop_token(tx, grant.organization_id, token_digest)
    else:
        grant_ends.end(tx, grant.organization_id, "revoked", identity_tables.grants.c.id == grant.id)
    return True


def _works(tx: Tx, grant: Grant) -> bool:
    """Whether the grant has not ended, and its person may have it now."""
    if not grant.lives_at(tx.now):
        return False
    facts = access.of_person(tx.conn, grant.organization_id, grant.person_id)
    return facts.is_open and key_stop(facts.members.get(grant.person_id)) is None


def _may_come_again(tx: Tx, token: _RefreshToken) -> bool:
    if token.used_at is None or not token.used_at <= tx.now < token.used_at + REFRESH_REPEAT_MS:
        return False
    successor = _REFRESH.one(tx.conn, _REFRESH.select(_refresh.digest == token.successor))
    return successor is not None and successor.used_at is None


def _give(tx: Tx, grant: Grant, refresh_digest: str | None) -> Tokens:
    """A new access token, and the row of the refresh token unless it is there.

    Raises `TooManyAttempts` where the grant has too many access tokens: a client asks for one in a loop.
    """
    _check_room(tx, grant)
    access_token = new_key(ACCESS_TOKEN, tx.random)
    ends_at = min(tx.now + ACCESS_TOKEN_LIFE_MS, grant.expires_at)
    tx.conn.execute(
        sa.insert(identity_tables.access_tokens).values(
            id=tx.new_id("tok"),
            organization_id=grant.organization_id,
            grant_id=grant.id,
            digest=digest(access_token),
            created_at=tx.now,
            expires_at=ends_at,
        )
    )
    if refresh_digest is not None:
        token = _RefreshToken(
            grant_id=grant.id,
            expires_at=min(tx.now + REFRESH_TOKEN_IDLE_MS, grant.expires_at),
            used_at=None,
            successor=None,
        )
        _REFRESH.insert(
            tx.conn,
            token,
            digest=refresh_digest,
            organization_id=grant.organization_id,
            created_at=tx.now,
        )
    return Tokens(access_token=access_token, life_ms=ends_at - tx.now, grant=grant)


def _check_room(tx: Tx, grant: Grant) -> None:
    token = identity_tables.access_tokens.c
    live = sa.select(sa.func.count(), sa.func.min(token.expires_at)).where(
        token.grant_id == grant.id, token.expires_at > tx.now
    )
    count, first_ends_at = tx.conn.execute(live).one()
    if count >= ACCESS_TOKENS_OF_GRANT_MAX:
        raise TooManyAttempts(
            "too many access tokens of this grant are live: use one for as long as it lives",
            retry_after_ms=first_ends_at - tx.now,
        )
