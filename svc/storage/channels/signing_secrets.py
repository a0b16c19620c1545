"""Signing secrets of connections: what pushes to a bridge are signed with."""

import sqlalchemy as sa

from svc.domain.channels.connections import Connection
from svc.domain.crypto.signatures import new_secret
from svc.domain.errors import Conflict
from svc.domain.limits import SIGNING_OVERLAP_MS
from svc.storage.channels import connections, tables
from svc.storage.channels.rows import ConnectionRow
from svc.storage.store import Tx


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
        {
            "secret": tx.sealer.seal(secret, connection_id),
            "previous_secret": tables.connections.c.secret,
            "previous_secret_until": until,
        },
    )
    return secret, until


def find_to_push(conn: sa.Connection, connection_id: str, now: int) -> tuple[Connection, tuple[bytes, ...]]:
    """As `connections.find`, with the secrets that sign pushes at *now*: still sealed, the newest first."""
    row = connections.row_of(conn, connection_id)
    return connections.from_row(row), _sealed_secrets(row, now)


def _sealed_secrets(row: ConnectionRow, now: int) -> tuple[bytes, ...]:
    if row.secret is None:
        return ()
    if row.previous_secret is None or (row.previous_secret_until or 0) <= now:
        return (bytes(row.secret),)
    return bytes(row.secret), bytes(row.previous_secret)
