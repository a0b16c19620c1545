"""The request log: numbered, bounded, pruned by age, and read by its numbers."""

from collections.abc import Iterator
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

from svc.domain import cursors
from svc.domain.changes import ResourceChanged
from svc.domain.cursors import Position
from svc.domain.errors import InvalidInput
from svc.domain.requests.limits import REQUEST_BATCH_ROWS, REQUEST_LIFE_MS
from svc.domain.requests.requests import LoggedCall
from svc.storage.requests import requests
from svc.storage.requests.requests import CallFilter, CallPage, StatusRange
from svc.storage.requests.tables import requests as table
from svc.storage.store import TakesLong, Tx, View
from tests.pruning import prune
from tests.storage.ledger import START, Ledger, ledger


def a_call(at: int = START, **members: Any) -> LoggedCall:
    values: dict[str, Any] = {
        "at": at,
        "request_id": "r-1",
        "door": "tools",
        "caller_kind": "key",
        "caller_id": "key_1",
        "tool": "record.get",
        "status": 200,
        "code": None,
        "milliseconds": 3,
        "bytes_in": 40,
        "bytes_out": 400,
        "replayed": False,
    }
    return LoggedCall(**(values | members))


@pytest.fixture
def here() -> Iterator[Ledger]:
    with ledger() as made:
        yield made


def append(here: Ledger, *calls: LoggedCall) -> None:
    here.write(requests.append, here.organization.id, calls)


def page(here: Ledger, cursor: str | None = None, limit: int = 50, **wanted: Any) -> CallPage:
    view = View(here.conn, here.now, patient=True)
    return requests.list_page(view, here.organization.id, CallFilter(**wanted), cursor, limit)


def numbers(here: Ledger, **wanted: Any) -> list[int]:
    return [call.number for call in page(here, **wanted).calls]


def kept(here: Ledger) -> list[int]:
    return sorted(row.number for row in here.rows(table))


def test_calls_are_numbered_in_the_order_in_which_they_come(here: Ledger) -> None:
    """Over batches; what is read is what was stored, and ids sort as the calls do."""
    first, second, third = a_call(), a_call(START + 1, code="not_found", status=404), a_call(START + 2)
    append(here, first, second)
    append(here, third)

    assert [3, 2, 1] == numbers(here)
    assert [third, second, first] == [*page(here).calls]
    ids = [call.id for call in page(here).calls]
    assert sorted(ids, reverse=True) == ids
    assert all(one.startswith("req_") and len(one) == 30 for one in ids)


def test_no_call_is_earlier_than_the_one_before_it(here: Ledger) -> None:
    """A log that a clock has come back to stays in the order of time, which look-ups rely on."""
    append(here, a_call(START + 10))
    append(here, a_call(START), a_call(START + 20))

    assert [START + 10, START + 10, START + 20] == [row.at for row in here.rows(table)]


def test_a_batch_is_announced_to_open_screens(here: Ledger) -> None:
    """Once, whatever it has."""
    announced: list[Any] = []

    def write(tx: Tx) -> None:
        requests.append(tx, here.organization.id, [a_call(), a_call()])
        announced.extend(tx.changes)

    here.write(write)

    assert [ResourceChanged(here.organization.id, "request", None)] == announced


def test_only_the_newest_are_kept(here: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log that is too long, such as after the limit was lowered, gets shorter with each batch."""
    append(here, *(a_call() for _ in range(30)))
    monkeypatch.setattr(requests, "REQUESTS_MAX", 5)
    append(here, a_call(), a_call())

    assert [28, 29, 30, 31, 32] == kept(here)
    append(here, a_call())
    assert [29, 30, 31, 32, 33] == kept(here)


def test_a_batch_deletes_a_few_at_a_time(here: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that no unit holds the writer for long, however much is beyond the limit."""
    over = 2 * REQUEST_BATCH_ROWS + 10
    append(here, *(a_call() for _ in range(over)))
    monkeypatch.setattr(requests, "REQUESTS_MAX", 1)
    append(here, a_call())

    assert [*range(over - 9, over + 2)] == kept(here)
    append(here, a_call())
    assert [over + 2] == kept(here)


def test_calls_are_deleted_after_seven_days(here: Ledger) -> None:
    """Of each organization, and no others; numbers go on."""
    append(here, *(a_call(here.now) for _ in range(120)))
    here.now += 10_000
    append(here, a_call(here.now))
    here.now += REQUEST_LIFE_MS - 10_000
    here.write(prune)

    assert [121] == kept(here)
    here.now += 20_000
    here.write(prune)
    assert [] == kept(here)


@given(
    gaps=st.lists(st.integers(0, 3), max_size=12),
    pruned=st.integers(0, 12),
    since=st.integers(0, 40),
    until=st.integers(0, 40),
)
def test_a_list_has_the_calls_of_a_time(gaps: list[int], pruned: int, since: int, until: int) -> None:
    """However many there are of one time, and whatever was pruned before."""
    with ledger() as here:
        at, times = START, []
        for gap in gaps:
            at += gap
            times.append(at)
        append(here, *map(a_call, times))
        here.conn.execute(table.delete().where(table.c.number <= pruned))
        expected = [
            number
            for number, time in enumerate(times, 1)
            if number > pruned and START + since <= time < START + until
        ]

        assert expected[::-1] == numbers(here, since=START + since, until=START + until)


def test_all_that_is_asked_must_hold(here: Ledger) -> None:
    """By key, tool and status."""
    append(
        here,
        a_call(),
        a_call(caller_id="key_2", status=404, code="not_found"),
        a_call(tool="record.list", status=503, code="overloaded"),
        a_call(tool=None, status=404, code="unknown_tool"),
    )

    assert [2] == numbers(here, caller_ids=("key_2",))
    assert [4, 3, 1] == numbers(here, caller_ids=("key_1",))
    assert [4, 3, 2, 1] == numbers(here, caller_ids=("key_1", "key_2"))
    assert [] == numbers(here, caller_ids=())
    assert [2, 1] == numbers(here, tool="record.get")
    assert [4, 2] == numbers(here, status=StatusRange(400, 499))
    assert [3] == numbers(here, status=StatusRange(500, 599))
    assert [1] == numbers(here, status=StatusRange(200, 200))
    assert [4] == numbers(here, status=StatusRange(404, 404), caller_ids=("key_1",))


def test_pages_stay_where_they_are_while_more_is_called(here: Ledger) -> None:
    """And a cursor of another list, or one that somebody put together, is refused."""
    append(here, *(a_call() for _ in range(5)))
    first = page(here, limit=2)
    append(here, a_call())
    second = page(here, first.next_cursor, limit=2)
    third = page(here, second.next_cursor, limit=2)

    assert [[5, 4], [3, 2], [1]] == [[call.number for call in one.calls] for one in (first, second, third)]
    assert third.next_cursor is None
    with pytest.raises(InvalidInput, match="/cursor"):
        page(here, first.next_cursor, tool="record.get")
    question = ["request", {"caller_ids": None, "tool": None, "status": None, "since": None, "until": None}]
    for forged in ("x", "-1", "9" * 19, "²"):
        with pytest.raises(InvalidInput, match="/cursor"):
            page(here, cursors.write(question, Position((), forged)))


def test_what_no_index_finds_is_no_quick_read(here: Ledger) -> None:
    """The newest and a key's are; what has to be looked for along the log, or along its failures, is not."""
    quick: list[dict[str, Any]] = [
        {},
        {"caller_ids": ("key_1",)},
        {"since": START, "until": START + 1},
    ]
    long: list[dict[str, Any]] = [
        {"tool": "record.get"},
        {"caller_ids": ("key_1", "key_2")},
        {"status": StatusRange(200, 200)},
        {"status": StatusRange(500, 599)},
    ]
    view = View(here.conn, here.now)
    for wanted in quick:
        requests.list_page(view, here.organization.id, CallFilter(**wanted))
    for wanted in long:
        with pytest.raises(TakesLong):
            requests.list_page(view, here.organization.id, CallFilter(**wanted))


@pytest.mark.sqlite
@pytest.mark.parametrize(
    ("wanted", "index"),
    [
        ({}, "PRIMARY KEY"),
        ({"caller_ids": ("key_1",)}, "ix_requests_caller"),
        ({"status": StatusRange(500, 599)}, "ix_requests_failed"),
        ({"caller_ids": ("key_1", "key_2"), "status": StatusRange(500, 599)}, "ix_requests_failed"),
    ],
)
def test_quick_reads_are_searches_in_an_index(here: Ledger, wanted: dict[str, Any], index: str) -> None:
    """And in its order, so that a page reads no more than its rows."""
    select = requests.newest_first(here.conn, here.organization.id, CallFilter(**wanted)).limit(50)
    text = select.compile(here.conn.engine, compile_kwargs={"literal_binds": True})
    plan = " ".join(row[3] for row in here.conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}"))

    assert index in plan
    assert "TEMP B-TREE" not in plan
