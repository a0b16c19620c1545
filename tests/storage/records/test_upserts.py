"""Inserts that meet a row with the same key."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Column, Connection, Integer, MetaData, StaticPool, Table, Text, create_engine, select

from svc.storage.statements import Statement
from svc.storage.upserts import insert_or_keep, insert_or_replace

tables = MetaData()
pets = Table(
    "pets",
    tables,
    Column("owner", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("legs", Integer, nullable=False),
)
KEEP = Statement(insert_or_keep(pets, ["owner", "name"]))
REPLACE = Statement(insert_or_replace(pets, ["owner", "name"]))

CAT = {"owner": "Ada", "name": "cat", "legs": 4}
LAME = CAT | {"legs": 3}


@pytest.fixture
def conn() -> Iterator[Connection]:
    engine = create_engine("sqlite://", poolclass=StaticPool)
    with engine.begin() as conn:
        tables.create_all(conn)
    with engine.connect() as conn:
        yield conn
    engine.dispose()


def test_a_row_that_is_there_is_kept(conn: Connection) -> None:
    """The count says whether there was one."""
    touched = [KEEP.changed(conn, CAT), KEEP.changed(conn, LAME), KEEP.changed(conn, CAT | {"owner": "Mary"})]

    assert [1, 0, 1] == touched
    assert [("Ada", "cat", 4), ("Mary", "cat", 4)] == list(conn.execute(select(pets)))


def test_a_row_that_is_there_is_replaced(conn: Connection) -> None:
    """All but its key is as it was given last."""
    touched = [REPLACE.changed(conn, CAT), REPLACE.changed(conn, LAME)]

    assert [1, 1] == touched
    assert [("Ada", "cat", 3)] == list(conn.execute(select(pets)))


def test_many_are_given_at_once(conn: Connection) -> None:
    """Of two with one key the last counts, or the first."""
    REPLACE.many(conn, [CAT, LAME])
    KEEP.many(conn, [LAME | {"name": "dog"}, CAT | {"name": "dog"}])

    assert [("cat", 3), ("dog", 3)] == list(conn.execute(select(pets.c.name, pets.c.legs)))
