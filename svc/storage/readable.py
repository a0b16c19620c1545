"""Stored values that cannot be decoded, after a fault of the disk or an edit by hand, fail alone.

A list leaves out the row, or its unreadable part, and logs it; a look-up of that row fails. `svc check` names
them all.
"""

import re
import sqlite3
from collections.abc import Callable, Iterable
from typing import Any, Final, Generic, TypeVar

import msgspec
import sqlalchemy as sa
import structlog

T = TypeVar("T")

log = structlog.get_logger("svc.storage")

LOGGED_MAX: Final = 1_000
"""How many unreadable rows are remembered as logged: each is logged once, however often it is read."""

_QUOTED: Final = re.compile(r"'.*'", re.DOTALL)

_logged: set[tuple[str, object]] = set()


def is_unreadable(error: BaseException) -> bool:
    """Whether *error* means an unreadable value, as opposed to a failing store."""
    cause = getattr(error, "orig", error)
    if isinstance(cause, sqlite3.OperationalError):
        # The driver itself raises this for text that is no UTF-8; errors of SQLite have its code.
        return getattr(cause, "sqlite_errorcode", None) is None
    return isinstance(cause, msgspec.DecodeError)


def each(rows: Iterable[Any], read: Callable[[Any], T], table: str) -> list[T]:
    """The *rows* of the *table* decoded by *read*, without those that it cannot decode; a row has an `id`."""
    decoded = []
    for row in rows:
        try:
            decoded.append(read(row))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            tell(table, row.id, error)
    return decoded


class LenientDecoder(Generic[T]):
    """Decodes a column of JSON; an unreadable value is logged, and decoded as an *empty* one."""

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
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            tell(str(self._column), row_id, error)
            return self._empty()


def tell(where: str, row_id: object, why: Exception) -> None:
    """Log an unreadable row, once."""
    if (where, row_id) in _logged:
        return
    if len(_logged) >= LOGGED_MAX:
        _logged.clear()
    _logged.add((where, row_id))
    log.warning(
        "what is stored cannot be read, and is passed over", where=where, id=row_id, why=without_value(why)
    )


def without_value(error: Exception) -> str:
    """Why a value cannot be read, without the value itself, which decoders put into quotes."""
    return _QUOTED.sub("…", str(error))
