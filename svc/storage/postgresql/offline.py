"""Reading the data while another process may have it open."""

from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

import psycopg
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from svc.storage.migrations import migrate
from svc.storage.postgresql import tenure
from svc.storage.postgresql.engine import Address, check, make_engine, one_line, process_called
from svc.storage.postgresql.pipeline import raw
from svc.storage.postgresql.session import READING_LONG, Session, bound
from svc.storage.postgresql.transaction import read_snapshot
from svc.storage.store import StoreFailed

P = ParamSpec("P")
R = TypeVar("R")


def read_beside(
    url: str, fn: Callable[Concatenate[sa.Connection, P], R], *args: P.args, **kwargs: P.kwargs
) -> R:
    """Run `fn(connection, *args)` over one snapshot of the data at *url*.

    Raises what *fn* raises, `SchemaTooNew`, and `StoreFailed` for data that is missing or not migrated yet.
    """
    address = Address(url)

    def read(conn: sa.Connection) -> R:
        if migrate.revision_of(conn) is None:
            raise StoreFailed(f"there is no data in {address} yet: `svc setup` makes an organization in it")
        if not migrate.is_current(conn):
            raise StoreFailed(
                f"{address} is of an earlier version: start the service once, which migrates it"
            )
        return fn(conn, *args, **kwargs)

    return _read(address, read)


def has_data(url: str) -> bool:
    """Whether the database has a schema. Raises `StoreFailed` if it cannot be used."""
    address = Address(url)

    def look(conn: sa.Connection) -> bool:
        check(raw(conn), address)
        return migrate.revision_of(conn) is not None

    return _read(address, look)


def holder(url: str) -> tuple[bool, int | None]:
    """Whether a process has the data, and its number if it is of this machine. Raises `StoreFailed`."""
    name = _read(Address(url), lambda conn: tenure.holder(raw(conn)))
    return name is not None, None if name is None else process_called(name)


def _read(address: Address, fn: Callable[[sa.Connection], R]) -> R:
    try:
        with make_engine(address).connect() as conn:
            return read_snapshot(bound(conn, Session(READING_LONG)), fn)
    except (psycopg.OperationalError, DBAPIError) as error:
        raise StoreFailed(f"{address} cannot be read: {one_line(error)}") from error
