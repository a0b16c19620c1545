"""Sessions: what each connection of a store is for, and how it is made anew when it was lost."""

from typing import Final, NamedTuple

import psycopg
import sqlalchemy as sa
from psycopg import pq
from sqlalchemy.exc import DBAPIError

from svc.storage.postgresql.pipeline import PipelinedConnection, raw
from svc.storage.postgresql.reconnecting import Reconnecting
from svc.storage.postgresql.tenure import SHARE, Tenure

_OPTION: Final = "svc_session"
_READY: Final = "svc_ready"

WRITING: Final = (
    "SET statement_timeout = '5min'; SET lock_timeout = '10s';"
    " SET idle_in_transaction_session_timeout = '1min'"
)
"""Longer than any unit takes, so that a process that hangs does not hold others up for good."""
READING: Final = WRITING
READING_LONG: Final = "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0"
"""For as long as it takes: exports and checks read everything, and an export's caller may be slow."""


class Session(NamedTuple):
    """What a connection is for."""

    settings: str
    """Commands that are executed in a new connection."""
    lane: int | None = None
    """The lane that writes through it."""
    tenure: Tenure | None = None
    """None where nothing but this connection has the data, as in tests of time."""
    reconnecting: Reconnecting | None = None


_PLAIN: Final = Session(WRITING)


def bound(conn: sa.Connection, session: Session) -> sa.Connection:
    """*conn* for *session*."""
    return conn.execution_options(**{_OPTION: session})


def session_of(conn: sa.Connection) -> Session:
    """What *conn* is for."""
    found: Session = conn.get_execution_options().get(_OPTION, _PLAIN)
    return found


def usable(conn: sa.Connection) -> PipelinedConnection:
    """The connection under *conn*, made anew if it was lost, and with no transaction under way.

    Raises `DataLost` and psycopg's errors.
    """
    session = session_of(conn)
    if session.tenure is not None:
        session.tenure.check()
    if not conn.invalidated and raw(conn).pgconn.status != pq.ConnStatus.OK:
        conn.invalidate()
    if conn.invalidated and session.reconnecting is not None:
        session.reconnecting.attempt(lambda: _reconnect(conn, session))
    connection = raw(conn)
    if _READY not in conn.info:
        connection.execute_now(session.settings if session.tenure is None else f"{session.settings}; {SHARE}")
        conn.info[_READY] = True
    connection.discard()
    # A fault may have prevented the ROLLBACK, too.
    if connection.pgconn.transaction_status != pq.TransactionStatus.IDLE:
        connection.execute_now("ROLLBACK")
    return connection


def _reconnect(conn: sa.Connection, session: Session) -> None:
    try:
        connection = raw(conn)  # makes it
    except DBAPIError as error:
        raise psycopg.OperationalError(str(error.orig)) from error
    try:
        if session.tenure is not None:
            session.tenure.recognize(connection)
    except BaseException:
        conn.invalidate()
        raise


def is_lost(conn: sa.Connection) -> bool:
    """Whether the connection was lost."""
    return conn.invalidated or raw(conn).pgconn.status != pq.ConnStatus.OK
