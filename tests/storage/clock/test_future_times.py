"""Times that a wrong clock stored: every column of every table is put right, or says why it is not."""

from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa

from svc.domain.approvals.limits import APPROVAL_SECONDS, APPROVAL_SECONDS_MAX
from svc.domain.locale.times import DAY_MS, SECOND_MS
from svc.domain.workflows.limits import WAIT_SECONDS_MAX
from svc.storage.clock import future_times
from svc.storage.metadata import metadata
from svc.storage.schema import Ahead, AheadByRow, Untouched, facts_of
from svc.storage.sqlite.engine import make_engine, raw
from svc.storage.sqlite.schema_changes import schema_change
from svc.storage.sqlite.transaction import read_snapshot
from svc.storage.store import Sources, Tx
from tests.storage.keeping import AT, fill

pytestmark = pytest.mark.sqlite

NOW = AT + DAY_MS
WRONG = NOW + 60 * 365 * DAY_MS
"""Further ahead than any time can lie."""

COLUMNS = [column for table in metadata.sorted_tables for column in table.columns]
TIMES = [column for column in COLUMNS if facts_of(column).ahead is not None]


@pytest.fixture(scope="module")
def conn() -> Iterator[sa.Connection]:
    """Two rows in each table, all times of which lie far ahead, put right once."""
    with make_engine(None).connect() as conn:
        with schema_change(conn):
            metadata.create_all(conn)
            fill(conn)
            raw(conn).execute("DROP TRIGGER ai_ledger_no_update")
            for column in TIMES:
                conn.execute(sa.update(column.table).values({column.key: WRONG}))
        with conn.begin():
            raw(conn).execute("BEGIN")
            future_times.put_right(Tx(conn, NOW, Sources()))
        yield conn


def test_every_time_says_how_far_ahead_it_can_lie() -> None:
    """A column that is named as a time is declared as one."""
    named = [one for one in COLUMNS if one.name == "at" or one.name.endswith(("_at", "_until", "_since"))]

    assert {str(one) for one in named} == {str(one) for one in TIMES}


@pytest.mark.parametrize("column", TIMES, ids=str)
def test_a_time_that_lies_too_far_ahead_is_put_right(conn: sa.Connection, column: "sa.Column[Any]") -> None:
    """It becomes the latest that it can be, or now where something goes on then; or it says why it stays."""
    stored = set(read_snapshot(conn, lambda conn: list(conn.scalars(sa.select(column)))))

    match facts_of(column).ahead:
        case Ahead() | AheadByRow():
            became = {_became(rule) for rule in future_times.rules_of(column)} | (
                {WRONG} if _leaves_some(column) else set()
            )
            assert became >= stored
            assert WRONG not in stored or _leaves_some(column)
        case Untouched(why):
            assert why
            # The mark of the clock itself is written anew.
            assert {NOW, WRONG} >= stored >= {WRONG}
        case other:
            pytest.fail(f"{other} is no fact of a time")


def _became(rule: Ahead) -> int:
    return NOW if rule.due else NOW + rule.most_ms


def _leaves_some(column: "sa.Column[Any]") -> bool:
    ahead = facts_of(column).ahead
    return isinstance(ahead, AheadByRow) and ahead.others != ""


RUNS = metadata.tables["workflow_runs"]
CARDS = metadata.tables["approvals"]


def card_times(seconds: int) -> dict[str, int]:
    """Of a card that lives so long."""
    return dict.fromkeys(("expires_at", "over_at"), NOW + seconds * SECOND_MS)


@pytest.mark.parametrize(
    ("table", "member", "value", "times"),
    [
        # A run that was under way goes on at once; one that waits for something has its year at most.
        (RUNS, "awaits", None, {"wake_at": NOW}),
        (RUNS, "awaits", "event", {"wake_at": NOW + WAIT_SECONDS_MAX * SECOND_MS}),
        # It may be a date that somebody named, which no clock has made wrong.
        (RUNS, "awaits", "time", {"wake_at": WRONG}),
        (
            CARDS,
            "asker_kind",
            "workflow",
            card_times(APPROVAL_SECONDS_MAX),
        ),
        (
            CARDS,
            "asker_kind",
            "agent",
            card_times(APPROVAL_SECONDS),
        ),
    ],
)
def test_a_time_means_what_its_row_says(
    table: sa.Table, member: str, value: str | None, times: dict[str, int]
) -> None:
    """What a run waits for, and who asks by a card, decide how far ahead its time can lie."""
    with make_engine(None).connect() as conn:
        with schema_change(conn):
            metadata.create_all(conn)
            fill(conn)
            conn.execute(sa.update(table).values({member: value} | dict.fromkeys(times, WRONG)))
        with conn.begin():
            raw(conn).execute("BEGIN")
            future_times.put_right(Tx(conn, NOW, Sources()))
        columns = [table.c[name] for name in times]
        rows = read_snapshot(conn, lambda conn: conn.execute(sa.select(*columns)).all())

    assert {tuple(times.values())} == {tuple(row) for row in rows}
