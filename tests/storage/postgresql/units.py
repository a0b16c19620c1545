"""Units of work over one table, for tests of what a store does with any."""

from contextlib import AbstractAsyncContextManager
from typing import Any

from sqlalchemy import BigInteger, Column, Connection, ForeignKey, MetaData, Table, Text, insert, select

from svc.clock import VirtualClock
from svc.storage.postgresql.store import open_store
from svc.storage.store import Store, Tx

START = 1_790_000_000_000

tables = MetaData()
rows = Table("rows", tables, Column("id", BigInteger, primary_key=True), Column("text", Text))
parts = Table(
    "parts",
    tables,
    Column("id", BigInteger, primary_key=True),
    Column("row", ForeignKey("rows.id", deferrable=True, initially="DEFERRED")),
)


def prepare(conn: Connection) -> None:
    tables.create_all(conn)


def opened(url: str, **options: Any) -> AbstractAsyncContextManager[Store]:
    """The store over the database at *url*, with the tables of this module."""
    return open_store(url, VirtualClock(START), **{"prepare": prepare, "lanes": 4, **options})


def add(tx: Tx, key: int) -> int:
    tx.conn.execute(insert(rows).values(id=key, text=f"row {key}"))
    return key


def add_orphan(tx: Tx, key: int) -> None:
    """Break a rule that is looked at by the COMMIT."""
    tx.conn.execute(insert(parts).values(id=key, row=-1))


def ids(conn: Connection) -> list[int]:
    return list(conn.scalars(select(rows.c.id).order_by(rows.c.id)))
