"""Prepared statements give what Core gives."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Integer,
    LargeBinary,
    MetaData,
    StaticPool,
    Table,
    Text,
    bindparam,
    create_engine,
    delete,
    func,
    insert,
    select,
    true,
    update,
)
from sqlalchemy.dialects.postgresql import dialect as postgresql
from sqlalchemy.exc import IntegrityError, OperationalError, StatementError

from svc.storage.statements import Plan, Statement, run_command

pytestmark = pytest.mark.sqlite

tables = MetaData()
pets = Table(
    "pets",
    tables,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("tame", Boolean),
    Column("picture", LargeBinary),
)
INSERT = Statement(insert(pets))
BY_ID = Statement(select(pets).where(pets.c.id == bindparam("pet")))
ALL = Statement(select(pets).order_by(pets.c.id))

CAT = {"id": 1, "name": "cat", "tame": True, "picture": b"\x00"}
WOLF = {"id": 2, "name": "wolf", "tame": False, "picture": None}


@pytest.fixture
def conn() -> Iterator[Connection]:
    engine = create_engine("sqlite://", poolclass=StaticPool)
    with engine.begin() as conn:
        tables.create_all(conn)
    with engine.connect() as conn:
        yield conn
    engine.dispose()


def test_rows_are_those_of_core(conn: Connection) -> None:
    """Rows equal Core's, their types included, and have their columns' names."""
    INSERT.many(conn, [CAT, WOLF])

    rows = ALL.all(conn)

    assert [tuple(row) for row in conn.execute(select(pets).order_by(pets.c.id))] == rows
    assert [(True, b"\x00"), (False, None)] == [(row.tame, row.picture) for row in rows]
    assert [bool, bool] == [type(row.tame) for row in rows]


def test_one_gives_the_first_row_or_nothing(conn: Connection) -> None:
    """`one` is for statements that find a row or none."""
    assert 1 == INSERT.changed(conn, CAT)

    assert (1, "cat", True, b"\x00") == BY_ID.one(conn, {"pet": 1})
    assert BY_ID.one(conn, {"pet": 2}) is None


def test_each_gives_one_row_at_a_time(conn: Connection) -> None:
    """A part of them holds nothing open: the transaction can end, and the table be dropped."""
    INSERT.many(conn, [CAT, WOLF])
    assert ALL.all(conn) == list(ALL.each(conn))
    with closing(ALL.each(conn)) as rows:
        assert "cat" == next(rows).name
    conn.commit()
    pets.drop(conn)


def test_run_returns_how_many_rows_it_changed(conn: Connection) -> None:
    """The count is the driver's, with values of the statement's own beside the parameters."""
    tame = Statement(
        update(pets).where(pets.c.id >= bindparam("since"), pets.c.name != "cat").values(tame=true())
    )
    INSERT.many(conn, [CAT, WOLF])

    assert 1 == tame.changed(conn, {"since": 1})
    assert 0 == tame.changed(conn, {"since": 3})
    assert [True, True] == [row.tame for row in ALL.all(conn)]


def test_many_of_nothing_does_nothing(conn: Connection) -> None:
    """An empty list of rows is fine."""
    INSERT.many(conn, [])

    assert [] == ALL.all(conn)


def test_rows_of_one_column_can_be_its_values(conn: Connection) -> None:
    """As Core's `scalars`, converted as rows are; what has other columns does not fit."""
    INSERT.many(conn, [CAT, WOLF])
    tame = Statement(select(pets.c.tame).order_by(pets.c.id), bool)
    named = Statement(select(pets.c.name).where(pets.c.id.in_(bindparam("ids", expanding=True))), str)

    assert [True, False] == tame.all(conn)
    assert "wolf" == named.one(conn, ids=[2])
    assert named.one(conn, ids=[3]) is None
    with pytest.raises(TypeError, match="has not the fields"):
        Statement(select(pets.c.id, pets.c.name), str).all(conn)


def test_a_statement_can_return_rows(conn: Connection) -> None:
    """`RETURNING` works, and leaves nothing half read that would hold the transaction."""
    returning = Statement(insert(pets).returning(pets.c.id, pets.c.tame))

    assert (1, True) == returning.one(conn, CAT)
    conn.commit()
    assert 1 == len(ALL.all(conn))


def test_columns_of_one_name_are_distinguished(conn: Connection) -> None:
    """A join of a table with itself names its columns as Core does."""
    other = pets.alias()
    INSERT.many(conn, [CAT, WOLF])

    pairs = Statement(select(pets.c.name, other.c.name, func.count()).where(other.c.id > pets.c.id)).all(conn)

    assert [("cat", "wolf", 1)] == pairs
    assert ("cat", "wolf") == (pairs[0].name, pairs[0][1])


@pytest.mark.parametrize("wanted", [[], [2], [1, 2, 3]])
def test_a_list_of_any_length_can_be_searched(conn: Connection, wanted: list[int]) -> None:
    """An expanding `IN` takes lists of every length."""
    among = Statement(select(pets.c.id).where(pets.c.id.in_(bindparam("wanted", expanding=True))))
    INSERT.many(conn, [CAT, WOLF])

    assert [(pet,) for pet in (1, 2) if pet in wanted] == among.all(conn, {"wanted": wanted})
    first = among.one(conn, {"wanted": wanted})
    assert first is None or first.id in wanted


def test_lists_can_be_given_many_times(conn: Connection) -> None:
    """`many` and `run` work with an expanding `IN` too."""
    remove = Statement(delete(pets).where(pets.c.id.in_(bindparam("ids", expanding=True))))
    INSERT.many(conn, [CAT, WOLF])

    remove.many(conn, [{"ids": [1]}, {"ids": [3, 4]}])

    assert [2] == [row.id for row in ALL.all(conn)]
    assert 1 == remove.changed(conn, {"ids": [2, 3]})


@pytest.mark.parametrize("values", [{}, {"id": 1}, CAT | {"tame": "yes"}])
def test_values_that_do_not_fit_are_refused(conn: Connection, values: dict[str, Any]) -> None:
    """A missing parameter and one of a wrong type are errors, and nothing is written."""
    with pytest.raises((KeyError, TypeError, StatementError)):
        INSERT.run(conn, values)

    assert [] == ALL.all(conn)


def test_a_command_belongs_to_the_transaction(conn: Connection) -> None:
    """A savepoint takes back what came after it; one that is not there is SQLAlchemy's error."""
    INSERT.run(conn, CAT)
    run_command(conn, "SAVEPOINT part")
    INSERT.run(conn, WOLF)
    run_command(conn, "ROLLBACK TO part")
    run_command(conn, "RELEASE part")

    assert [1] == [row.id for row in ALL.all(conn)]
    with pytest.raises(OperationalError, match="no such savepoint"):
        run_command(conn, "RELEASE part")


def test_errors_are_those_of_sqlalchemy(conn: Connection) -> None:
    """A broken constraint is SQLAlchemy's `IntegrityError`, without the values."""
    INSERT.run(conn, CAT)

    with pytest.raises(IntegrityError) as one:
        INSERT.run(conn, CAT | {"name": "secret"})
    with pytest.raises(IntegrityError) as many:
        INSERT.many(conn, [WOLF, CAT | {"name": "secret"}])

    assert "secret" not in str(one.value) + str(many.value)


def test_a_transaction_begins_as_with_core(conn: Connection) -> None:
    """A statement outside of a transaction begins one, which can be rolled back."""
    INSERT.run(conn, CAT)
    assert conn.in_transaction()
    conn.rollback()

    assert [] == ALL.all(conn)


def test_the_statement_is_compiled_for_each_dialect() -> None:
    """Another database gets its own text, and parameters by name where it wants them."""
    plan = Plan(
        select(pets.c.name).where(pets.c.id == bindparam("pet"), pets.c.name != "cat"),
        postgresql(),  # type: ignore[no-untyped-call]
    )

    assert "pets.id = %(pet)s" in plan.sql
    assert {"pet": 1, "name_1": "cat"} == plan.bind({"pet": 1})
