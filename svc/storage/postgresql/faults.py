"""What is wrong with the machine, or with the server, where a statement fails for no reason of its own."""

from typing import Final

import psycopg

UNREACHABLE: Final = "the database cannot be reached"
SHUTTING_DOWN: Final = "the database is being shut down"

_SHARED: Final = (
    "a pooler before the database shares its sessions: have it give each connection a session of its own"
)
"""A session has not the prepared statements that it was given, or has those of others."""

_BY_STATE: Final = {
    "25006": "the database is read-only",
    "3D000": "the database is gone",
    "26000": _SHARED,
    "40001": "another program changes the data",
    "40P01": "units or programs wait for one another",
    "42P05": _SHARED,
    "53100": "the disk is full",
    "53200": "there is no memory left",
    "53300": "the database has no connection left",
    "55P03": "another program holds the data",
    "57014": "a statement took too long",
}
_BY_CLASS: Final = {
    "08": UNREACHABLE,
    "28": "the database refuses the role of this service",
    "53": "the database lacks resources",
    "57": SHUTTING_DOWN,
    "58": "the disk fails",
    "XX": "the database is damaged",
}
"""By SQLSTATE, or its first two characters (https://www.postgresql.org/docs/current/errcodes-appendix.html)."""


class DataLost(Exception):
    """Raised where this process may not write any more: its text says why."""


def fault(error: BaseException) -> str | None:
    """What *error*, the driver's or SQLAlchemy's around it, says of the machine; None for a unit's own."""
    error = getattr(error, "orig", None) or error
    if isinstance(error, DataLost):
        return str(error)
    if not isinstance(error, psycopg.Error):
        return None
    if error.sqlstate is None:  # the driver's own: a connection that could not be made, or was lost
        is_lost = isinstance(error, psycopg.OperationalError) or type(error) is psycopg.DatabaseError
        return UNREACHABLE if is_lost else None
    return _BY_STATE.get(error.sqlstate) or _BY_CLASS.get(error.sqlstate[:2])
