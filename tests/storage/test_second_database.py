"""What storage says can be said to PostgreSQL as well; SQLite's own words are in `sqlite` alone."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

import pytest
from sqlalchemy import Index, Table
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateIndex, CreateTable

from svc import storage
from svc.storage.metadata import metadata
from svc.storage.statements import Plan, Statement

SQLITES_OWN = f"{storage.__name__}.sqlite"
MIGRATIONS = f"{storage.__name__}.migrations"
"""These are run by Alembic, and speak to the one database that there is data in."""
POSTGRESQL = postgresql.dialect()  # type: ignore[no-untyped-call]


def modules() -> Iterator[str]:
    """All of storage that is for any database."""
    for found in walk_packages(storage.__path__, f"{storage.__name__}."):
        if not found.name.startswith((SQLITES_OWN, MIGRATIONS)):
            yield found.name


def prepared_in(value: Any) -> Iterator[Statement[Any]]:
    """The statements that *value* is, or has in it."""
    if isinstance(value, Statement):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from prepared_in(one)
    elif isinstance(value, tuple | list | set | frozenset):
        for one in value:
            yield from prepared_in(one)


def statements() -> dict[str, Statement[Any]]:
    """Every prepared statement, by where it is."""
    return {
        f"{name.removeprefix('svc.storage.')}.{variable}{'' if not place else f'[{place}]'}": statement
        for name in modules()
        for variable, value in vars(import_module(name)).items()
        for place, statement in enumerate(prepared_in(value))
    }


STATEMENTS = statements()
INDEXES = [
    index
    for table in metadata.sorted_tables
    for index in sorted(table.indexes, key=lambda index: str(index.name))  # they are a set
]


def test_the_statements_are_found() -> None:
    """Those of a module, and those that it has in a mapping."""
    assert {
        "channels.messages._INSERT",
        "records.rows._BY_ID",
        "forms.submission_selection._NEWEST[1]",
    } <= STATEMENTS.keys()


@pytest.mark.parametrize("statement", STATEMENTS.values(), ids=STATEMENTS)
def test_a_prepared_statement_is_for_either_database(statement: Statement[Any]) -> None:
    """It has a text there, and takes its values by name."""
    plan = Plan(statement._statement, POSTGRESQL)

    assert plan.sql
    assert "?" not in plan.sql


@pytest.mark.parametrize("table", metadata.sorted_tables, ids=lambda table: table.name)
def test_a_table_can_be_made_in_either_database(table: Table) -> None:
    """Its columns, defaults and constraints."""
    assert f"CREATE TABLE {table.name}" in str(CreateTable(table).compile(dialect=POSTGRESQL))


@pytest.mark.parametrize("index", INDEXES, ids=lambda index: index.name)
def test_an_index_is_the_same_in_either_database(index: Index) -> None:
    """It has the same columns there, and the same rows."""
    made = str(CreateIndex(index).compile(dialect=POSTGRESQL))
    only = index.dialect_options["sqlite"]["where"]

    assert made.endswith(")" if only is None else f"WHERE {only}")
