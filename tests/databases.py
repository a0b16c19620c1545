"""The database that tests run on which use the inline store: SQLite in memory, or with
`DATABASE=postgresql` one of a server of the tests' own."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import sqlalchemy as sa

from svc.storage.sqlite.engine import make_engine
from svc.storage.sqlite.inline import create_tables

ON_POSTGRESQL: Final = os.environ.get("DATABASE") == "postgresql"
"""Tests marked `sqlite` are left out then: they ask SQLite itself."""


@contextmanager
def database_with_tables(on_postgresql: bool = ON_POSTGRESQL) -> Iterator[sa.Connection]:
    """A connection to a database with all tables, which are empty."""
    if on_postgresql:
        from tests import postgresql_inline  # not for every run

        with postgresql_inline.database_with_tables() as conn:
            yield conn
    else:
        with make_engine(None).connect() as conn:
            create_tables(conn)
            yield conn
