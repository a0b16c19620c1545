"""A database in memory with one organization, for tests of storage functions without an event loop."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection

from svc.domain.crypto.sealing import Sealer
from svc.storage import provisioning
from svc.storage.identity.organizations import NewOrganization
from svc.storage.store import Sources, Tx
from tests.databases import ON_POSTGRESQL, database_with_tables

P = ParamSpec("P")
R = TypeVar("R")

START = 1_789_689_600_000
API = {"kind": "api", "keyId": "key_1"}


class Ledger:
    """Runs units as the store does, each inside a savepoint, and its time goes on by a second with each."""

    def __init__(self, conn: Connection) -> None:
        self.conn = conn
        self.now = START
        self._sources = Sources(sealer=Sealer(b"k" * 32))
        self.organization = self.write(
            provisioning.create, NewOrganization(name="Lamps & Co", country="DE", currency="EUR")
        )

    def write(self, fn: Callable[Concatenate[Tx, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        self.now += 1_000
        with self.conn.begin_nested():
            return fn(Tx(self.conn, self.now, self._sources), *args, **kwargs)

    def rows(self, table: Any, **where: Any) -> list[Any]:
        """The rows of *table* that match, in the order of their ids."""
        matching = [table.c[name] == one for name, one in where.items()]
        return list(self.conn.execute(table.select().where(*matching).order_by(*table.primary_key)))


@contextmanager
def ledger(on_postgresql: bool = ON_POSTGRESQL) -> Iterator[Ledger]:
    with database_with_tables(on_postgresql) as conn, conn.begin():
        conn.exec_driver_sql("BEGIN")
        yield Ledger(conn)
