"""Tables say about themselves what is done with them; what is left out does not start."""

from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa

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
