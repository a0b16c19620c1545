"""Events: recorded and announced, dispatched in the order of their positions, listed, and pruned."""

from collections.abc import Iterator
from typing import Any

import hypothesis.strategies as st
import pytest
import sqlalchemy as sa
from hypothesis import given, settings

from svc.domain import cursors
from svc.domain.changes import EventsDue, ResourceChanged
from svc.domain.cursors import Position
from svc.domain.errors import Gone, InvalidInput
from svc.domain.events import EventType, NewEvent
from svc.domain.limits import EVENT_LIFE_MS, EVENTS_EXAMINED_MAX, LIST_ROWS_MAX
from svc.domain.locale.times import MINUTE_MS
from svc.storage import provisioning
from svc.storage.events import events
from svc.storage.events import pages as event_pages
from svc.storage.events.events import Event
from svc.storage.identity.organizations import NewOrganization
from svc.storage.store import Sources, Tx
from tests import tables
from tests.events import free_event
from tests.pruning import prune
from tests.storage.ledger import API, Ledger, ledger


@pytest.fixture
def here() -> Iterator[Ledger]:
    with ledger() as opened:
        yield opened


def an_event(type_: EventType = "record.created", object_type: str | None = "contact") -> NewEvent:
    data = {} if object_type is None else {"objectType": object_type}
    return free_event(type_, "rec_1", API, data)


def record(here: Ledger, *happened: NewEvent) -> None:
    here.write(events.record, here.organization.id, happened or [an_event()])


def dispatch(here: Ledger, limit: int = 200) -> list[str]:
    """Dispatch the oldest events, and return their ids."""
    ids = [event.id for event in events.undispatched(here.conn, here.organization.id, limit)]
    here.write(events.mark_dispatched, here.organization.id, ids)
    return ids


def page(here: Ledger, **wanted: Any) -> tuple[list[Event], str]:
    listed, cursor, _ = event_pages.list_page(here.conn, here.organization.id, **wanted)
    return listed, cursor


def read_all(here: Ledger, cursor: str | None = None, **wanted: Any) -> tuple[list[Event], str]:
    """All events behind *cursor*, and the cursor behind the last."""
    found: list[Event] = []
    while True:
        listed, behind = page(here, cursor=cursor, **wanted)
        if behind == cursor:
            return found, behind
        found += listed
        cursor = behind


def test_a_batch_has_so_many_bytes(here: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """The event that goes beyond them is its last one, and is not left out."""
    record(here, an_event(), an_event(), an_event())
    length = len(events.undispatched(here.conn, here.organization.id, 1)[0].data)
    monkeypatch.setattr(events, "EVENTS_PAGE_BYTES_MAX", length + 1)

    batch = events.undispatched(here.conn, here.organization.id, 200)

    assert 2 == len(batch)
    assert events.is_full(batch, 200)
    assert not events.is_full(batch[:1], 200)


def test_a_unit_announces_its_events_once(here: Ledger) -> None:
    """However often it records some, and what they are about; a unit that records none announces none."""
    tx = Tx(here.conn, here.now, Sources())

    events.record(tx, here.organization.id, [])
    announced = [list(tx.changes)]
    for _ in range(2):
        events.record(tx, here.organization.id, [an_event(), an_event()])
    announced.append(list(tx.changes))

    told = ResourceChanged(here.organization.id, "record", "rec_1")
    assert [[], [EventsDue(here.organization.id), told, told]] == announced


def test_an_event_is_stored_with_what_is_looked_for(here: Ledger) -> None:
    """Its subject, its object and the depth of its source; the source stands in its data."""
    source = {"kind": "workflow", "id": "wfl_1", "personId": None, "depth": 3}
    record(here, free_event("record.created", "rec_1", source, {"objectType": "deal"}))
    record(here, an_event("submission.held", None))

    first, second = here.rows(tables.events)
    assert ("rec_1", "deal", 3, None) == (first.subject, first.object_type, first.depth, first.position)
    assert '{"objectType":"deal","source":' in first.data
    assert (None, 0) == (second.object_type, second.depth)


def test_dispatched_events_have_the_next_positions(here: Ledger) -> None:
    """In the order in which they were dispatched, in each organization for itself."""
    other = here.write(provisioning.create, NewOrganization(name="Other"))
    record(here, an_event(), an_event(), an_event())
    here.write(events.record, other.id, [an_event()])
    waiting = [events.organizations_with_undispatched(here.conn)]

    first = dispatch(here, 2)
    second = dispatch(here)
    here.write(events.mark_dispatched, here.organization.id, first)
    waiting.append(events.organizations_with_undispatched(here.conn))

    positions = {row.id: row.position for row in here.rows(tables.events) if row.position}
    assert {one: place for place, one in enumerate([*first, *second], start=1)} == positions
    assert [{here.organization.id, other.id}, {other.id}] == [set(one) for one in waiting]
    assert [] == events.undispatched(here.conn, here.organization.id, 200)


def test_another_organizations_event_is_not_marked(here: Ledger) -> None:
    """An id is not enough."""
    record(here)
    other = here.write(provisioning.create, NewOrganization(name="Other"))
    [event] = events.undispatched(here.conn, here.organization.id, 200)

    here.write(events.mark_dispatched, other.id, [event.id])

    assert [event] == events.undispatched(here.conn, here.organization.id, 200)


def test_a_list_has_what_was_dispatched(here: Ledger) -> None:
    """What is recorded only is not in it yet; the cursor at the end goes on with what comes later."""
    record(here)
    before, cursor = page(here)
    dispatch(here)
    record(here)
    then, cursor = page(here, cursor=cursor)
    dispatch(here)
    later, _ = page(here, cursor=cursor)

    assert [0, 1, 1] == [len(before), len(then), len(later)]
    assert then[0].id < later[0].id


def test_a_list_is_narrowed_by_type_and_object(here: Ledger) -> None:
    """Objects narrow the events of records; the others have none."""
    record(here, an_event(), an_event("record.updated", "deal"), an_event("submission.filed", None))
    dispatch(here)

    def types(**wanted: Any) -> list[str]:
        return [event.type for event in page(here, **wanted)[0]]

    assert ["record.created", "record.updated", "submission.filed"] == types()
    assert ["record.updated"] == types(types={"record.updated", "message.received"})
    assert ["record.updated", "submission.filed"] == types(object_types={"deal"})
    assert [] == types(types=set())


def test_a_page_looks_at_so_many_events(here: Ledger) -> None:
    """What is rare among many is found over several pages, some of them empty."""
    common = [an_event() for _ in range(EVENTS_EXAMINED_MAX)]
    record(here, *common, an_event("record.deleted"))
    dispatch(here, EVENTS_EXAMINED_MAX + 1)

    first, cursor = page(here, types={"record.deleted"})
    second, _ = page(here, types={"record.deleted"}, cursor=cursor)

    assert ([], ["record.deleted"]) == (first, [event.type for event in second])


def test_a_cursor_to_events_that_never_were_is_gone(here: Ledger) -> None:
    """As after a restore of older data: to wait there would miss what comes until then."""
    record(here)
    dispatch(here)
    _, cursor = page(here)
    other = here.write(provisioning.create, NewOrganization(name="Other"))

    with pytest.raises(Gone, match="ask again from the start"):
        event_pages.list_page(here.conn, other.id, cursor=cursor)


def test_the_last_page_says_so(here: Ledger) -> None:
    """Those before it do not, nor does one that stopped looking."""
    record(here, *(an_event() for _ in range(EVENTS_EXAMINED_MAX + 1)))
    dispatch(here, EVENTS_EXAMINED_MAX + 1)

    def is_last(**wanted: Any) -> bool:
        return event_pages.list_page(here.conn, here.organization.id, **wanted).is_last

    _, stopped = page(here, types=set())
    assert [False, False, True] == [is_last(), is_last(types=set()), is_last(types=set(), cursor=stopped)]


@pytest.mark.fuzz
@given(minutes=st.lists(st.integers(0, 3), max_size=12), pruned=st.integers(0, 12), since=st.integers(0, 40))
@settings(max_examples=60, deadline=None)
def test_a_list_begins_with_the_events_of_a_time(minutes: list[int], pruned: int, since: int) -> None:
    """However many there are of one time or between two, and whatever was pruned before."""
    with ledger() as here:
        start = here.now
        for later in minutes:
            here.now += later * MINUTE_MS
            record(here)
        dispatch(here)
        kept = here.rows(tables.events)[pruned:]
        here.conn.execute(sa.delete(tables.events).where(tables.events.c.position <= pruned))
        at = start + since * MINUTE_MS

        listed, _ = page(here, since=at)

        assert [row.id for row in kept if row.at >= at] == [event.id for event in listed]


def test_an_event_that_was_dispatched_before_an_earlier_one_is_listed(here: Ledger) -> None:
    """The unit of the earlier one waited for its commit; the list begins with the first of that time."""
    for late in (0, 5_000, -4_000, 2_000):
        here.now += late
        record(here)
        dispatch(here)
    late = here.rows(tables.events)[1]

    assert [2, 4] == [event.position for event in page(here, since=late.at)[0] if event.at >= late.at]


@pytest.mark.parametrize("limit", [0, LIST_ROWS_MAX + 1])
def test_a_wrong_limit_is_refused(here: Ledger, limit: int) -> None:
    """With its place."""
    with pytest.raises(InvalidInput, match="/limit"):
        page(here, limit=limit)


def test_a_cursor_of_another_list_is_refused(here: Ledger) -> None:
    """With its place; so is one that was put together by hand."""
    own = cursors.write(["events"], Position((), "9" * 19))
    other = cursors.write(["notes"], Position((), "1"))
    for cursor in ("x", own, other):
        with pytest.raises(InvalidInput, match="/cursor"):
            page(here, cursor=cursor)


def test_events_are_pruned_once_they_were_dispatched_and_their_time_is_over(here: Ledger) -> None:
    """Those that wait for their dispatch stay, however old; positions go on after those that are gone."""
    record(here)
    _, start = page(here)
    dispatch(here)
    _, end = page(here)
    record(here)
    here.now += EVENT_LIFE_MS - 4_000
    here.write(prune)
    before = len(here.rows(tables.events))
    here.now += 4_000
    here.write(prune)
    left = here.rows(tables.events)

    assert (2, [None]) == (before, [row.position for row in left])
    dispatch(here)
    assert [2] == [event.position for event in page(here, cursor=end)[0]]
    assert [2] == [event.position for event in page(here)[0]]
    with pytest.raises(Gone, match="not kept any more"):
        page(here, cursor=start)


def test_nothing_is_skipped_where_events_were_pruned_out_of_order(here: Ledger) -> None:
    """One whose unit waited for its commit has an earlier time than the one before it, and goes first.

    A reader in between is told so, and a new one begins behind it.
    """
    here.now += 5_000
    record(here)
    here.now -= 5_000
    record(here, an_event(), an_event())
    dispatch(here, 1)
    _, between = page(here)
    dispatch(here)
    _, behind = page(here)
    here.now += 60_000
    record(here)
    dispatch(here)
    here.now += EVENT_LIFE_MS - 62_000
    here.write(prune)

    assert [1, 4] == [row.position for row in here.rows(tables.events)]
    with pytest.raises(Gone):
        page(here, cursor=between)
    assert [4] == [event.position for event in page(here, cursor=behind)[0]]
    assert [4] == [event.position for event in page(here)[0]]


def test_a_page_has_so_many_bytes(here: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends behind the event that passes the limit, and the next one goes on from there."""
    monkeypatch.setattr(event_pages, "EVENTS_PAGE_BYTES_MAX", 1_000)
    data = [{"text": "x" * size} for size in (2_000, 300, 300, 500, 1)]
    record(here, *(free_event("record.created", "rec_1", API, one) for one in data))
    dispatch(here)

    sizes: list[int] = []
    cursor = None
    for _ in range(4):
        listed, cursor = page(here, cursor=cursor)
        sizes.append(len(listed))

    assert [1, 3, 1, 0] == sizes


@pytest.mark.sqlite
def test_pruning_goes_by_the_index(here: Ledger) -> None:
    """However many events are kept, only those that are over are looked at."""
    statement = (
        "EXPLAIN QUERY PLAN SELECT id FROM events WHERE position IS NOT NULL AND at <= ?"
        " ORDER BY at LIMIT 500"
    )
    [step] = here.conn.exec_driver_sql(statement, (1,)).all()

    assert "SEARCH events USING INDEX ix_events_dispatched_at (at<?)" == step[3]


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("record"), st.integers(1, 3)),
        st.tuples(st.just("dispatch"), st.integers(1, 4)),
        st.tuples(st.just("read"), st.integers(1, 4)),
    ),
    max_size=20,
)


@pytest.mark.fuzz
@given(steps=STEPS)
@settings(max_examples=60, deadline=None)
def test_a_reader_sees_each_event_once_in_their_order(steps: list[tuple[str, int]]) -> None:
    """Whenever it reads between recording and dispatching, and however large its pages are."""
    with ledger() as here:
        expected: list[str] = []
        seen: list[str] = []
        cursor = None
        for what, number in steps:
            if what == "record":
                record(here, *(an_event() for _ in range(number)))
            elif what == "dispatch":
                expected += dispatch(here, number)
            else:
                listed, cursor = page(here, cursor=cursor, limit=number)
                seen += [event.id for event in listed]
        listed, _ = read_all(here, cursor, limit=3)
        seen += [event.id for event in listed]

        assert expected == seen == sorted(expected)
