"""A server of PostgreSQL for all tests of a process, and a new database for each test."""

from collections.abc import Iterator
from itertools import count

import pytest

from tests.postgresql_server import NoServer, Server, running_server

_NUMBERS = count(1)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A server that runs during all tests of this process."""
    try:
        with running_server() as server:
            yield server
    except NoServer as error:
        pytest.skip(str(error))


@pytest.fixture
def database(server: Server) -> str:
    """The name of an empty database."""
    name = f"test_{next(_NUMBERS)}"
    server.create_database(name, "TEMPLATE template0")
    return name


@pytest.fixture
def url(server: Server, database: str) -> str:
    """The address of an empty database."""
    return server.url(database)
