"""What a store says to SQLite, unit of work by unit of work, as its connection sees it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import Connection

from svc.storage.sqlite.engine import raw
from svc.storage.store import Store

_CONTROL: Final = re.compile(r"(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|PRAGMA query_only)\b", re.IGNORECASE)
_BEGINS_UNIT: Final = re.compile(r"BEGIN\b|SAVEPOINT unit\b", re.IGNORECASE)
_VALUE: Final = re.compile(r"'(?:[^']|'')*'")
_SHOWN_CHARS: Final = 160


class Said:
    """Statements in the order in which they ran, without those of transactions and savepoints."""

    def __init__(self) -> None:
        self.units: list[list[str]] = []
        """The statements of each unit of work, a read's too; units that ran none are left out."""
        self._new = True

    def take(self, sql: str) -> None:
        """A statement runs: the callback of `sqlite3.Connection.set_trace_callback`."""
        if _CONTROL.match(sql):
            self._new |= bool(_BEGINS_UNIT.match(sql))
            return
        if self._new:
            self.units.append([])
            self._new = False
        self.units[-1].append(_shortened(sql))

    def __str__(self) -> str:
        return "\n".join(
            f"  {place}.{number} {statement}"
            for place, unit in enumerate(self.units, start=1)
            for number, statement in enumerate(unit, start=1)
        )


async def connection_of(store: Store) -> Connection:
    """The one connection of an inline store."""
    return await store.write(lambda tx: tx.conn)


@contextmanager
def listening(conn: Connection) -> Iterator[Said]:
    """What is said over *conn* meanwhile."""
    said, sqlite = Said(), raw(conn)
    sqlite.set_trace_callback(said.take)
    try:
        yield said
    finally:
        sqlite.set_trace_callback(None)


def _shortened(sql: str) -> str:
    """*sql* on one line, without its values, and of a list of columns only the beginning."""
    line = " ".join(_VALUE.sub("?", sql).split())
    return (
        line if len(line) <= _SHOWN_CHARS else f"{line[: _SHOWN_CHARS // 2]} … {line[-_SHOWN_CHARS // 2 :]}"
    )
