"""Signing secrets of connections: what pushes to a bridge are signed with."""

from typing import Final

import msgspec
import sqlalchemy as sa

from svc.domain.channels.connections import Connection
from svc.domain.crypto.signatures import new_secret
from svc.domain.errors import Conflict, NotFound
from svc.domain.input.near_names import shown
from svc.domain.limits import SIGNING_OVERLAP_MS
from svc.storage.channels import connections, tables
from svc.storage.channels.connections import CONNECTIONS
from svc.storage.rows import Selection
from svc.storage.store import Tx


class _Signing(msgspec.Struct, frozen=True, kw_only=True):
    """A connection, and the secrets that its pushes are signed with, sealed."""

    connection: Connection
    secret: bytes | None
    previous_secret: bytes | None
    previous_secret_until: int | None

    def sealed_at(self, now: int) -> tuple[bytes, ...]:
        """Those that sign at *now*, the newest first."""
        if self.secret is None:
            return ()
        if self.previous_secret is None or (self.previous_secret_until or 0) <= now:
            return (bytes(self.secret),)
        return bytes(self.secret), bytes(self.previous_secret)


_SIGNING: Final = Selection(_Signing, tables.connections, members={"connection": CONNECTIONS})
_GET = _SIGNING.prepared(_SIGNING.select(tables.connections.c.id == sa.bindparam("connection_id")))


def rotate(tx: Tx, organization_id: str, connection_id: str) -> tuple[str, int]:
    """A new signing secret, shown this once, and until when the previous one signs beside it.

    Raises `NotFound`, and `Conflict` where nothing is signed because the bridge pulls.
    """
    before = connections.get(tx.conn, organization_id, connection_id)
    if before.delivery != "push":
        raise Conflict("this connection's bridge pulls: nothing is signed")
    secret, until = new_secret(tx.random), tx.now + SIGNING_OVERLAP_MS
    connections.update_columns(
        tx,
        connection_id,
        secret=tx.sealer.seal(secret, connection_id),
        previous_secret=tables.connections.c.secret,
        previous_secret_until=until,
    )
    return secret, until


def find_to_push(conn: sa.Connection, connection_id: str, now: int) -> tuple[Connection, tuple[bytes, ...]]:
    """As `connections.find`, with the secrets that sign pushes at *now*: still sealed, the newest first."""
    found = _GET.one(conn, connection_id=connection_id)
    if found is None:
        raise NotFound(f"there is no connection {shown(connection_id)}")
    return found.connection, found.sealed_at(now)
