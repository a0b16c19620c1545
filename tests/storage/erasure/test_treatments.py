"""What an erasure does with each table: a decision for each column, and each decision carried out."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
import sqlalchemy as sa

from svc.storage import stored_json
from svc.storage.erasure import rows
from svc.storage.erasure.person import Person
from svc.storage.erasure.sweep import hits
from svc.storage.erasure.treatments import BY_TABLE, in_order
from svc.storage.metadata import metadata
from svc.storage.schema import table_facts
from svc.storage.sqlite.engine import make_engine, raw
from svc.storage.sqlite.schema_changes import schema_change
from svc.storage.sqlite.transaction import read_snapshot
from svc.storage.store import Sources, Tx
from tests.erasure import rows_of
from tests.storage.keeping import AT, fill

pytestmark = pytest.mark.sqlite

JSON = {column for column, _ in stored_json.TYPES}
MARK = "Adelaide Quill"


def test_every_table_has_a_decision() -> None:
    """An erasure goes through each table that does not say why it is left alone, once."""
    exempt = [name for name, table in metadata.tables.items() if table_facts(table).erasure is not None]

    assert sorted(metadata.tables) == sorted([*BY_TABLE, *exempt])
    assert sorted(one.table.name for one in in_order()) == sorted(BY_TABLE)
    assert all(set(one.blanked) <= set(one.texts) for one in BY_TABLE.values())


@pytest.fixture(scope="module")
def kept() -> bytes:
    """A database with two rows in each table, of two organizations."""
    with make_engine(None).connect() as conn:
        with schema_change(conn):
            metadata.create_all(conn)
            fill(conn)
        return raw(conn).serialize()


@pytest.fixture
def conn(kept: bytes) -> Iterator[sa.Connection]:
    """A copy of it."""
    with make_engine(None).connect() as conn, closing(sqlite3.connect(":memory:")) as made:
        made.deserialize(kept)
        made.backup(raw(conn))
        conn.rollback()
        yield conn


def _mark(column: "sa.Column[Any]", stored: Any) -> Any:
    """What stands in a column where a person has written the mark."""
    if column.table.name == "views":
        return f'{{"objectType":"contact","note":"{MARK}"}}'
    if column.table.name == "idempotency":
        return f'{{"say":"{MARK}"}}'.encode()
    if column.name in {"recognised", "options"}:
        return f'["{MARK}"]'
    if column.name == "evidence":
        return f'{{"name":"{MARK}"}}'
    if column in JSON:
        return f'{{"say":"{MARK}"}}'
    return f"a {MARK} b"


SCRUBBED = [
    (str(one.table.name), name) for one in BY_TABLE.values() for name in one.texts if name != "candidates"
]


def _reads(conn: sa.Connection) -> Any:
    return lambda fn, *args, **kwargs: read_snapshot(conn, lambda conn: fn(conn, *args, **kwargs))


def _first(conn: sa.Connection) -> str:
    """The first organization."""
    first: str = read_snapshot(
        conn, lambda conn: conn.scalars(sa.text("SELECT min(id) FROM organizations")).one()
    )
    return first


def _erase(conn: sa.Connection, person: Person) -> rows.ErasedRows:
    """Erase a person from the first organization; what was done altogether."""
    read, organization_id = _reads(conn), _first(conn)
    deleted = emptied = changed = 0
    for treatment in in_order():
        found = list(hits(read, organization_id, treatment, person))
        with conn.begin():
            raw(conn).execute("BEGIN")
            tx = Tx(conn, AT + 1_000, Sources())
            done = rows.erase(
                tx, organization_id, str(treatment.table.name), found, person.marks, source={"kind": "person"}
            )
        deleted, emptied, changed = (
            deleted + done.deleted,
            emptied + done.emptied,
            changed + done.changed,
        )
    return rows.ErasedRows(deleted=deleted, emptied=emptied, changed=changed)


@pytest.mark.parametrize(("table", "column"), SCRUBBED)
def test_a_mark_is_taken_out_of_each_text(conn: sa.Connection, table: str, column: str) -> None:
    """Wherever somebody wrote the name; the row can be read, and the other organization's is as it was."""
    of_table = BY_TABLE[table].table
    marked = _mark(of_table.c[column], None)
    with schema_change(conn):
        conn.execute(sa.update(of_table).values({column: marked}))

    before = read_snapshot(conn, lambda conn: set(stored_json.unreadable(conn)))

    done = _erase(conn, Person(names={MARK}))

    stored = read_snapshot(conn, lambda conn: list(conn.scalars(sa.select(of_table.c[column]))))
    left = [one for one in stored if MARK in str(one)]
    assert len(stored) / 2 == len(left) == done.changed
    assert {marked} == set(left)
    assert column == "properties" or "[erased]" in str(stored)
    assert before >= read_snapshot(conn, lambda conn: set(stored_json.unreadable(conn)))


@pytest.mark.parametrize(
    ("table", "column"), [(str(one.table.name), name) for one in BY_TABLE.values() for name in one.kept]
)
def test_what_is_kept_is_counted(conn: sa.Connection, table: str, column: str) -> None:
    """It is found, and not touched."""
    of_table = BY_TABLE[table].table
    with schema_change(conn):
        raw(conn).execute("DROP TRIGGER ai_ledger_no_update")
        conn.execute(sa.update(of_table).values({column: f"a {MARK} b"}))
    before = rows_of(conn)

    done = _erase(conn, Person(names={MARK}))
    found = list(hits(_reads(conn), _first(conn), BY_TABLE[table], Person(names={MARK})))

    assert [(column, "kept")] == [(hit.column, hit.how) for hit in found]
    assert rows.ErasedRows() == done
    assert before == rows_of(conn)
