"""Tables say about themselves what is done with them; what is left out does not start."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from svc.storage import schema


@pytest.fixture(autouse=True)
def _own_metadata(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of these tests are no tables of the program."""
    monkeypatch.setattr(schema, "metadata", sa.MetaData())


STAYS = schema.Stays("for a test")


def test_a_column_says_what_it_is() -> None:
    """One that is made in another way is refused."""
    with pytest.raises(TypeError, match=r"things\.name says nothing about itself"):
        schema.table(
            "things",
            schema.id_(),
            schema.of_organization(),
            sa.Column("name", sa.Text),
            leaves=STAYS,
            life=schema.KEPT,
        )


@pytest.mark.parametrize(
    "forgotten",
    [
        pytest.param(lambda: schema.text("name"), id="whether a text can name a person"),  # type: ignore[call-arg]
        pytest.param(lambda: schema.json("data", dict), id="whether JSON can name a person"),  # type: ignore[call-arg]
        pytest.param(lambda: schema.time("due_at"), id="how far ahead a time can lie"),  # type: ignore[call-arg]
        pytest.param(lambda: schema.blob("data"), id="why bytes are not exported"),  # type: ignore[call-arg]
        pytest.param(
            lambda: schema.table("things", schema.id_(), life=schema.KEPT),  # type: ignore[call-arg]
            id="whether the rows leave with the organization",
        ),
        pytest.param(
            lambda: schema.table("things", schema.id_(), leaves=STAYS),  # type: ignore[call-arg]
            id="how long the rows live",
        ),
        pytest.param(
            lambda: schema.table("things", schema.id_(), leaves=STAYS, life=schema.KEPT),
            id="how the rows are of an organization",
        ),
        pytest.param(
            lambda: schema.table(
                "things", schema.id_(), schema.of_organization(), leaves=STAYS, life=schema.expires("at")
            ),
            id="from when on rows expire",
        ),
    ],
)
def test_nothing_is_forgotten(forgotten: Callable[[], Any]) -> None:
    """What erasure, export, clock and pruning have to know is an error at import where it is left out."""
    with pytest.raises(TypeError):
        forgotten()


def test_a_partial_index_has_its_condition_in_both_databases() -> None:
    """Though the options of a database are made when it is asked for."""
    index = schema.PartialIndex("ix_things_name", "name", where="name <> 'x'", unique=True)
    sa.Table("things", sa.MetaData(), sa.Column("name", sa.Text), index)

    for dialect in (sqlite.dialect(), postgresql.dialect()):  # type: ignore[no-untyped-call]
        made = str(sa.schema.CreateIndex(index).compile(dialect=dialect))
        assert "CREATE UNIQUE INDEX ix_things_name ON things (name) WHERE name <> 'x'" == made


def test_the_tables_import_no_package_of_a_database() -> None:
    """PostgreSQL's is 2.4 MiB of every service on SQLite."""
    found = subprocess.run(
        [sys.executable, "-c", "import svc.storage.metadata, sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()

    assert "svc.storage.metadata" in found
    assert [] == [name for name in found if name.startswith("sqlalchemy.dialects.postgresql")]
