"""Connecting to a PostgreSQL database: its address, its settings, and what it must be like."""

import os
import socket
from collections.abc import Mapping
from functools import partial
from typing import Any, Final, NamedTuple

import psycopg
import sqlalchemy as sa
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import tuple_row

from svc.storage.postgresql import prepared
from svc.storage.postgresql.pipeline import PipelinedConnection
from svc.storage.statements import use_driver
from svc.storage.store import StoreFailed

SERVER_VERSION_MIN: Final = 140000
PREPARED_MAX: Final = 512
"""Statements that a connection keeps prepared; what is executed a few times is prepared by itself."""
NAME_BYTES_MAX: Final = 63
"""PostgreSQL cuts longer names of applications."""

_DEFAULTS: Final[Mapping[str, Any]] = {
    "connect_timeout": 10,
    # A machine that is gone is noticed within a minute, and what waits for its answer within half of one.
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
    "target_session_attrs": "read-write",
}
"""Parameters of libpq (https://www.postgresql.org/docs/current/libpq-connect.html); an address may
say others."""

_SESSION: Final = (
    "SET client_encoding = 'UTF8'",
    "SET synchronous_commit = 'on'",
    "SET timezone = 'UTC'",
    "SET standard_conforming_strings = 'on'",
    "SET client_min_messages = 'warning'",
    # So the server notices, too, that this machine is gone, and releases what it has locked.
    "SET tcp_keepalives_idle = 30",
    "SET tcp_keepalives_interval = 10",
    "SET tcp_keepalives_count = 3",
)


class Address:
    """The address of a database, `postgresql://USER:PASSWORD@HOST:PORT/NAME`. Its text has no password."""

    __slots__ = ("_parameters", "_text")

    def __init__(self, url: str) -> None:
        """Raises `StoreFailed`, which does not repeat what is wrong: a part of a password may stand there."""
        try:
            given = conninfo_to_dict(url)
        except psycopg.ProgrammingError:
            raise StoreFailed(
                "the address of the database cannot be read: write postgresql://USER:PASSWORD@HOST:PORT/NAME,"
                " with what is not a letter or a digit in the password as %XX"
            ) from None
        self._parameters = {**_DEFAULTS, **given}
        place = ":".join(str(given[part]) for part in ("host", "port") if given.get(part))
        self._text = f"postgresql://{place}/{given.get('dbname') or ''}"

    def __str__(self) -> str:
        return self._text

    def connect(self) -> PipelinedConnection:
        """A new connection, in which each statement is a transaction unless a BEGIN was executed."""
        connection = PipelinedConnection.connect(
            make_conninfo(**self._parameters),
            autocommit=True,
            row_factory=tuple_row,
            application_name=application_name(),
        )
        try:
            connection.prepared_max = PREPARED_MAX
            connection.execute_now("; ".join(_SESSION))
        except BaseException:
            connection.close()
            raise
        return connection


def application_name() -> str:
    """What the database calls this process: `svc`, its number, and its machine."""
    return f"svc {os.getpid()} {socket.gethostname()}"[:NAME_BYTES_MAX]


def process_called(name: str) -> int | None:
    """The number of the process of this machine that the database calls *name*; None for another."""
    match name.split():
        case ["svc", number, machine] if machine == socket.gethostname() and number.isdecimal():
            return int(number)
        case _:
            return None


def make_engine(address: Address) -> sa.Engine:
    """An engine whose every connection is a new one; the caller executes every BEGIN and COMMIT."""
    engine = sa.create_engine(
        "postgresql+psycopg://",
        creator=address.connect,
        poolclass=sa.NullPool,
        pool_reset_on_return=None,
        hide_parameters=True,
        use_native_hstore=False,
    )
    use_driver(engine.dialect, prepared.DRIVER)
    return engine


def one_line(error: Exception) -> str:
    """What *error* says, in one line, without the statement that SQLAlchemy adds."""
    return " ".join(str(getattr(error, "orig", None) or error).split())


class _Facts(NamedTuple):
    """What is asked of a database before it is used."""

    database: dict[str, Any]
    schema: str | None
    creates: bool


_FACTS: Final = """
    SELECT to_jsonb(pg_database), current_schema(),
        coalesce(has_schema_privilege(current_schema(), 'CREATE'), false)
    FROM pg_database WHERE datname = current_database()"""


def check(connection: "psycopg.Connection[tuple[Any, ...]]", address: Address) -> None:
    """Look whether the database can be used. Raises `StoreFailed`, in one line that says what to do."""
    refuse = partial(_refuse, address)
    version = connection.pgconn.server_version
    if version < SERVER_VERSION_MIN:
        refuse(f"PostgreSQL {version // 10000} is too old: it must be {SERVER_VERSION_MIN // 10000} or newer")
    row = connection.execute(_FACTS).fetchone()
    assert row is not None  # noqa: S101  # one is connected to it
    facts = _Facts(*row)
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        refuse(f"its encoding is {encoding}: make one with ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0")
    collation = _collation(facts.database)
    if collation != "C":
        refuse(f"its collation is {collation}: make one with ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0")
    if facts.schema is None:
        refuse("none of the schemas in its search_path is there: make one, such as public")
    if not facts.creates:
        refuse(
            f"the role may not create tables in the schema {facts.schema}:"
            f" GRANT CREATE ON SCHEMA {facts.schema}"
        )


def _refuse(address: Address, why: str) -> None:
    raise StoreFailed(f"{address} cannot be used: {why}")


def _collation(database: Mapping[str, Any]) -> str:
    """How the database sorts: `C` for texts by their bytes. What its row has differs by version."""
    match database.get("datlocprovider", "c"):
        case "c":
            found = database["datcollate"]
        case "b":
            found = database["datlocale"]
        case _:
            found = f"ICU's {database.get('datlocale') or database.get('daticulocale')}"
    return "C" if found in {"C", "POSIX"} else found
