"""Moving all rows to PostgreSQL, and back."""

from collections.abc import Iterator

import pytest

from svc.storage import moving
from svc.storage.moving import move
from svc.storage.postgresql.engine import Address, make_engine
from svc.storage.postgresql.moving import sole_use
from svc.storage.postgresql.pipeline import raw
from svc.storage.records import tables as records_tables
from svc.storage.sqlite.moving import SqliteRows
from svc.storage.sqlite.schema_changes import schema_change
from svc.storage.store import StoreFailed, StoreInUse
from tests.postgresql_server import NoServer, Server, running_server
from tests.storage.test_moving import all_rows, database, unheard

pytestmark = pytest.mark.postgres


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    try:
        with running_server() as running:
            yield running
    except NoServer as error:
        pytest.skip(str(error))


def test_every_row_comes_back_as_it_was(server: Server) -> None:
    """There and back, with every value of every table."""
    url = server.create_database("there_and_back")
    with database(filled=True) as before, database() as after:
        with sole_use(url) as target:
            there = move(SqliteRows(before), target, unheard)
        with sole_use(url) as source, schema_change(after):
            back = move(source, SqliteRows(after), unheard)

        assert there == back
        assert all_rows(before) == all_rows(after)
    assert all(one.rows for one in there)


def test_a_move_that_breaks_off_leaves_nothing_and_is_begun_anew(server: Server) -> None:
    """All of it is one transaction."""
    url = server.create_database("broken_off")

    def break_off(table: str, _rows: int) -> None:
        if table == "notes":
            raise KeyboardInterrupt

    with database(filled=True) as before:
        with pytest.raises(KeyboardInterrupt), sole_use(url) as target:
            move(SqliteRows(before), target, break_off)
        with sole_use(url) as target:
            assert not any(next(target.rows(table), None) for table in moving.TABLES)
            moved = move(SqliteRows(before), target, unheard)
    assert all(one.rows for one in moved)


def test_nobody_else_has_the_data_meanwhile(server: Server) -> None:
    """A service would go on writing what is not moved."""
    url = server.create_database("held")
    with sole_use(url), pytest.raises(StoreInUse, match="stop it first"), sole_use(url):
        pass


def test_what_postgresql_cannot_have_is_named(server: Server) -> None:
    """A text with a NUL, which no door takes, by its table; none of its values is shown."""
    url = server.create_database("impossible")
    with database(filled=True) as before:
        words = records_tables.search_texts.name
        SqliteRows(before).conn.exec_driver_sql(f"UPDATE {words} SET words = 'se' || char(0) || 'cret'")  # noqa: S608
        with (
            pytest.raises(StoreFailed, match="search_texts has what PostgreSQL cannot") as failed,
            sole_use(url) as target,
        ):
            move(SqliteRows(before), target, unheard)
    assert "cret" not in str(failed.value)


def test_an_address_that_is_no_service_of_ours_is_refused(server: Server) -> None:
    """Tables of others are not touched."""
    url = server.create_database("others")
    with make_engine(Address(url)).connect() as conn:
        raw(conn).execute("CREATE TABLE invoices (id int)")
    with pytest.raises(StoreFailed, match="invoices"), sole_use(url):
        pass
