"""A store that sees to it that a unit of work writes the rows of its owner, and no others.

Triggers of the test's own connection note each row that a unit writes, so it is what is written that counts,
whatever writes it. What a test does to the store itself, `store.write(...)`, is its preparation, and is free.
"""

import sqlite3
from collections.abc import Awaitable, Callable
from functools import wraps
from types import SimpleNamespace
from typing import Any, Concatenate, Final, NamedTuple, ParamSpec, TypeVar

from sqlalchemy import Connection, Table

from svc.storage.metadata import metadata
from svc.storage.schema import RowsOf, table_facts
from svc.storage.sqlite.engine import raw
from svc.storage.store import Owner, Store, Tx

P = ParamSpec("P")
R = TypeVar("R")

ALONE_FOR_ONE: Final = {
    "storage.identity.invitations.accept": "it reads the account, and may note that its address is proven",
    "tools.command.backup.failed": "it tells the owners of all organizations",
    "storage.mail.letters.mail_resets": "the mails for the accounts that it finds are of organizations",
}
"""Units that run alone though what they wrote was one owner's alone, and why."""


class Write(NamedTuple):
    """A table that a unit has written, and the organization of a row; None of others' rows."""

    table: str
    organization_id: str | None


class Lanes:
    """Notes what each unit of a store writes; `faults` are those that wrote another owner's rows."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.units: set[tuple[str, str]] = set()
        """The owners and names of units that have written something."""
        self._writes: set[Write] | None = None

    def watch(self, conn: Connection) -> None:
        """Note what is written by this connection, from now on."""
        sqlite: sqlite3.Connection = raw(conn)
        sqlite.create_function("note_write", 2, self._note)
        # Their rows of the schema, read at once: a quarter of the time of creating them.
        sqlite.execute("PRAGMA writable_schema = ON")
        sqlite.execute("BEGIN")
        sqlite.executemany("INSERT INTO sqlite_temp_master VALUES ('trigger', ?, ?, 0, ?)", _TRIGGERS)
        sqlite.execute("COMMIT")
        sqlite.execute("PRAGMA writable_schema = RESET")

    def _note(self, table: str, organization_id: str | None) -> None:
        if self._writes is not None:
            self._writes.add(Write(table, organization_id))

    def watched(self, owner: str, fn: Callable[Concatenate[Tx, P], R]) -> Callable[Concatenate[Tx, P], R]:
        """*fn* as a unit of *owner*."""

        @wraps(fn, updated=())
        def unit(tx: Tx, *args: P.args, **kwargs: P.kwargs) -> R:
            writes: set[Write] = set()
            self._writes = writes
            try:
                result = fn(tx, *args, **kwargs)
            finally:
                self._writes = None
            name = _name_of(fn)
            if writes:
                self.units.add((owner, name))
            self.faults += _faults(owner, name, writes)
            return result

        return unit  # type: ignore[return-value]  # what wraps a function has its parameters


def unwatch(conn: Connection) -> None:
    """Note no more what is written by this connection: SQLite traces a statement again for each trigger."""
    sqlite: sqlite3.Connection = raw(conn)
    names = sqlite.execute("SELECT name FROM temp.sqlite_master WHERE type = 'trigger'").fetchall()
    sqlite.executescript(f"BEGIN;{''.join(f'DROP TRIGGER temp.{name};' for (name,) in names)}COMMIT;")


def guarded(store: Store, lanes: Lanes) -> Any:
    """The *store*, whose units *lanes* watches; not those of its own `write`."""
    return _Guarded(store, lanes)


class _Guarded:
    def __init__(self, store: Store, lanes: Lanes) -> None:
        self._store = store
        self.lanes = lanes

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    @property
    def alone(self) -> Any:
        return self.of(Owner.SYSTEM)

    def of(self, owner: str) -> Any:
        units, lanes = self._store.of(owner), self.lanes

        def watching(run: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
            async def watched(fn: Any, *args: Any, **kwargs: Any) -> Any:
                return await run(lanes.watched(owner, fn), *args, **kwargs)

            return watched

        return SimpleNamespace(
            read=units.read,
            read_long=units.read_long,
            write=watching(units.write),
            write_behind=watching(units.write_behind),
        )


def _name_of(fn: Callable[..., Any]) -> str:
    """Where a unit is written: the tests' own are of `tests`."""
    name = getattr(fn, "__qualname__", None) or getattr(fn, "name", type(fn).__name__)
    return f"{fn.__module__.removeprefix('svc.')}.{name}"


def _faults(owner: str, name: str, writes: set[Write]) -> list[str]:
    by_kind: dict[RowsOf, set[Write]] = {}
    for write in writes:
        by_kind.setdefault(_ROWS_OF[write.table], set()).add(write)
    organizations = {write.organization_id for write in writes} - {None}
    foreign = [write for write in sorted(writes, key=str) if not _may(owner, write)]
    if owner != Owner.SYSTEM:
        return [
            f"{name}, a unit of {owner}, wrote {write.table} of {write.organization_id}" for write in foreign
        ]
    is_for_one = len(by_kind) == 1 and len(organizations) == ("an organization" in by_kind)
    if not is_for_one or "the installation" in by_kind or name in ALONE_FOR_ONE:
        return []
    [whose] = organizations or {Owner.PEOPLE}
    return [
        f"{name} ran alone, and all that it wrote was of {whose}: {sorted({one.table for one in writes})}"
    ]


def _may(owner: str, write: Write) -> bool:
    """Whether a unit of *owner*, which does not run alone, may have written this."""
    if owner == Owner.PEOPLE:
        return _ROWS_OF[write.table] == "people"
    return _ROWS_OF[write.table] == "an organization" and write.organization_id in {owner, None}


_ROWS_OF: Final = {table.name: table_facts(table).rows_of for table in metadata.sorted_tables}


def _trigger(table: Table, event: str) -> tuple[str, str, str]:
    """The name of a temporary trigger, its table's, and its statement."""
    row = "OLD" if event == "DELETE" else "NEW"
    through = table_facts(table).through
    if _ROWS_OF[table.name] != "an organization":
        whose = "NULL"
    elif table.name == "organizations":
        whose = f"{row}.id"
    elif through is None:
        whose = f"{row}.organization_id"
    else:
        [key] = table.c[through].foreign_keys
        parent = key.column.table.name
        whose = f"(SELECT organization_id FROM main.{parent} WHERE {key.column.name} = {row}.{through})"  # noqa: S608  # names of the schema
    name = f"lane_{table.name}_{event.lower()}"
    body = f"BEGIN SELECT note_write('{table.name}', {whose}); END"
    return name, table.name, f"CREATE TRIGGER {name} AFTER {event} ON main.{table.name} {body}"


_TRIGGERS: Final = [
    _trigger(table, event) for table in metadata.sorted_tables for event in ("INSERT", "UPDATE", "DELETE")
]
