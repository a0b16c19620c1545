"""Authorization requests: what apps have asked for, until the person decides. Units of people."""

from typing import Final

import msgspec
import sqlalchemy as sa

from svc.domain.errors import NotFound, TooManyAttempts, Unavailable
from svc.domain.grants.limits import AUTHORIZATION_LIFE_MS, REQUESTS_OF_ADDRESS_MAX, REQUESTS_WAITING_MAX
from svc.domain.grants.oauth import McpDoorName, Scope
from svc.domain.locale.times import MINUTE_MS, SECOND_MS
from svc.storage.grants import tables
from svc.storage.rows import Rows
from svc.storage.store import Tx


class AuthorizationRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What an app has asked for, and where the answer goes. All of it was checked."""

    app_id: str
    client_id: str
    app_name: str
    app_host: str
    organization_id: str | None
    """Of an app made by hand: the only organization that it can be connected to."""
    redirect_uri: str
    state: str | None
    challenge: str
    scope: Scope
    door: McpDoorName
    issuer: str


_request: Final = tables.authorization_requests.c
REQUESTS: Final = Rows(
    tables.authorization_requests,
    AuthorizationRequest,
    beside=["digest", "address", "created_at", "expires_at"],
)


def add(tx: Tx, request: AuthorizationRequest, request_digest: str, address: str) -> None:
    """Keep a request under the digest of its token. *address* is a digest of where it came from.

    Raises `TooManyAttempts` and `Unavailable` where too many wait, of that address or at all.
    """
    waiting = sa.select(sa.func.count()).select_from(tables.authorization_requests)
    alive = _request.expires_at > tx.now
    own = tx.conn.execute(waiting.where(_request.address == address, alive)).scalar_one()
    if own >= REQUESTS_OF_ADDRESS_MAX:
        raise TooManyAttempts("too many requests wait from this address", retry_after_ms=MINUTE_MS)
    if tx.conn.execute(waiting.where(alive)).scalar_one() >= REQUESTS_WAITING_MAX:
        raise Unavailable("too many requests wait", retry_after_seconds=MINUTE_MS // SECOND_MS)
    REQUESTS.insert(
        tx.conn,
        request,
        digest=request_digest,
        address=address,
        created_at=tx.now,
        expires_at=tx.now + AUTHORIZATION_LIFE_MS,
    )


def get(conn: sa.Connection, request_digest: str, now: int) -> AuthorizationRequest:
    """The request that waits under that digest. Raises `NotFound`: it is unknown, decided or too old."""
    found = REQUESTS.one(conn, REQUESTS.select(_request.digest == request_digest, _request.expires_at > now))
    if found is None:
        raise NotFound("this request was decided, or is too old: begin again in the app")
    return found


def take(tx: Tx, request_digest: str) -> AuthorizationRequest:
    """The request, which waits no longer. Raises `NotFound` as `get` does."""
    found = get(tx.conn, request_digest, tx.now)
    tx.conn.execute(sa.delete(tables.authorization_requests).where(_request.digest == request_digest))
    return found
