"""Stored values that cannot be decoded: what a disk or a person's shell has left takes no other row with it.

Where many rows are read, one that cannot be is left out and logged, or read without the part that cannot be;
where one is asked for, that one fails. `svc check` names them all.
"""

import sqlite3
from collections.abc import Callable, Iterable
from typing import Any, Final, Generic, TypeVar

import msgspec
import sqlalchemy as sa
import structlog

T = TypeVar("T")

log = structlog.get_logger("svc.storage")

LOGGED_MAX: Final = 1_000
"""Unreadable rows that are remembered as logged, so that a list that is read each second logs them once."""

_logged: set[tuple[str, object]] = set()


def is_unreadable(error: BaseException) -> bool:
    """Whether *error* says that a stored value makes no sense, as opposed to a store that fails."""
    cause = getattr(error, "orig", error)
    if isinstance(cause, sqlite3.OperationalError):
        # Text that is no UTF-8 is what the driver says by itself; errors of SQLite have its code.
        return getattr(cause, "sqlite_errorcode", None) is None
    return isinstance(cause, msgspec.DecodeError)


def each(rows: Iterable[Any], read: Callable[[Any], T], table: str) -> list[T]:
    """What *read* makes of *rows* of the *table*, which have an `id`, without those that it cannot decode."""
    found = []
    for row in rows:
        try:
            found.append(read(row))
        except msgspec.DecodeError as error:
            tell(table, row.id, error)
    return found


class LenientDecoder(Generic[T]):
    """Reads a column of JSON; a value that it cannot read is logged, and read as an *empty* one."""

    __slots__ = ("_column", "_decode", "_empty")

    def __init__(
        self, decoder: "msgspec.json.Decoder[T]", empty: Callable[[], T], column: sa.Column[Any]
    ) -> None:
        self._decode = decoder.decode
        self._empty = empty
        self._column = column

    def read(self, stored: str | None, row_id: object) -> T:
        """The value; an empty one for NULL."""
        if stored is None:
            return self._empty()
        try:
            return self._decode(stored)
        except msgspec.DecodeError as error:
            tell(str(self._column), row_id, error)
            return self._empty()


def tell(where: str, row_id: object, why: Exception) -> None:
    """Log that something of a row cannot be read, once for each."""
    if (where, row_id) in _logged:
        return
    if len(_logged) >= LOGGED_MAX:
        _logged.clear()
    _logged.add((where, row_id))
    log.warning("what is stored cannot be read, and is passed over", where=where, id=row_id, why=str(why))
