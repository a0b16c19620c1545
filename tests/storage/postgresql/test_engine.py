"""Addresses of databases, and what a database has to be like."""

import os
import re
import socket

import pytest

from svc.clock import VirtualClock
from svc.storage.postgresql import engine
from svc.storage.postgresql.engine import Address, application_name, process_called
from svc.storage.postgresql.store import open_store
from svc.storage.store import StoreFailed
from tests.postgresql_server import Server
from tests.storage.postgresql.units import START

pytestmark = pytest.mark.postgres


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://anna:secret@db.example:5433/svc", "postgresql://db.example:5433/svc"),
        ("postgresql://anna@/svc?host=/run/pg&password=secret", "postgresql:///run/pg/svc"),
        ("postgresql://db.example/svc?sslmode=verify-full", "postgresql://db.example/svc"),
    ],
)
def test_an_address_is_shown_without_who_uses_it(url: str, shown: str) -> None:
    """Neither the user nor the password is in its text."""
    assert shown == str(Address(url))


@pytest.mark.parametrize(
    "url", ["postgresql://anna:sec%ret@db/svc", "nonsense secret", "postgresql://a/b?secret"]
)
def test_an_address_that_cannot_be_read_is_not_repeated(url: str) -> None:
    """What is wrong with it may be a part of the password."""
    with pytest.raises(StoreFailed) as refused:
        Address(url)
    assert "secret" not in str(refused.value)
    assert "sec%ret" not in str(refused.value)


async def refused(url: str) -> str:
    """Why the database at *url* cannot be opened: in one line."""
    with pytest.raises(StoreFailed) as failed:
        async with open_store(url, VirtualClock(START), lanes=1):
            pass
    [line] = str(failed.value).splitlines()
    return line


async def test_an_old_server_is_refused(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line has both versions, and no password."""
    url = server.url(password="secret")
    monkeypatch.setattr(engine, "SERVER_VERSION_MIN", 990000)
    line = await refused(url)
    assert re.search(r"cannot be used: PostgreSQL \d+ is too old: it must be 99 or newer$", line)
    assert "secret" not in line


async def test_a_database_in_another_encoding_is_refused(server: Server) -> None:
    """Texts of all scripts are stored."""
    url = server.create_database("latin", "ENCODING 'LATIN1' TEMPLATE template0")
    assert "its encoding is LATIN1: make one with ENCODING 'UTF8' LOCALE 'C'" in await refused(url)


async def test_a_database_with_another_collation_is_refused(server: Server) -> None:
    """Ids and cursors are compared by their bytes, on any store."""
    url = server.create_database("sorted", "LOCALE 'C.UTF-8' TEMPLATE template0")
    assert "its collation is C.UTF-8: make one with" in await refused(url)


async def test_a_database_sorted_by_icu_is_refused(server: Server) -> None:
    """Also where its other locale is C."""
    options = "LOCALE_PROVIDER icu ICU_LOCALE 'de' LOCALE 'C' TEMPLATE template0"
    url = server.create_database("icu", options)
    assert "its collation is ICU's de: make one with" in await refused(url)


async def test_a_role_that_may_not_create_tables_is_refused(server: Server, database: str) -> None:
    """It is told what it has to be granted."""
    server.execute("CREATE ROLE low LOGIN")
    line = await refused(server.url(database, user="low", password="secret"))
    assert "GRANT CREATE ON SCHEMA public" in line
    assert "secret" not in line


async def test_a_database_that_is_not_there_is_named(server: Server) -> None:
    """The line says what the server says."""
    assert 'database "nowhere" does not exist' in await refused(server.url("nowhere"))


async def test_a_server_that_is_not_there_is_named(server: Server) -> None:
    """The line has the address, without the password."""
    line = await refused("postgresql://anna:secret@127.0.0.1:1/svc")
    assert line.startswith("postgresql://127.0.0.1:1/svc cannot be opened: ")
    assert "secret" not in line


def test_a_process_is_known_by_what_the_database_calls_it() -> None:
    """Commands ask the service of their own machine, and no process of another."""
    assert os.getpid() == process_called(application_name())
    assert process_called(f"svc 7 not-{socket.gethostname()}") is None
    assert process_called("psql") is None
