"""Triggering: which runs events, bursts and schedules start, once each and within the limits."""

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import select

from svc.domain.changes import RunsDue
from svc.domain.identity.people import Person
from svc.domain.locale.times import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS
from svc.domain.workflows.expressions.contexts import Event
from svc.storage.metadata import metadata
from svc.storage.records import records
from svc.storage.store import Tx
from svc.storage.workflows import dispatch, runs, starting, triggering, workflows
from svc.storage.workflows.workflows import Workflow
from tests.people import a_member, call_of
from tests.storage.ledger import API, Ledger, ledger
from tests.workflows import NOTE, a_document, a_workflow

RUNS = metadata.tables["workflow_runs"]
_PLANNED = select(metadata.tables["workflows"].c.next_at)
BURSTS = metadata.tables["workflow_bursts"]


class Here(Ledger):
    """A ledger with an Owner, whose time goes on with each write, and further as told."""

    owner: Person

    def workflow(self, *steps: Any, **more: Any) -> Workflow:
        call = call_of(self.owner, self.organization.id)
        return self.write(a_workflow, call, a_document(*steps, **more))

    def contact(self, **properties: Any) -> str:
        return self.write(
            records.create, self.organization, "contact", {"name": "Ada", **properties}, source=API
        ).id

    def dispatch(self) -> None:
        while self.write(dispatch.dispatch, self.organization.id).more:
            pass

    def start_due(self) -> None:
        self.write(triggering.start_due, self.organization.id)

    @property
    def runs(self) -> list[Any]:
        return list(self.conn.execute(select(RUNS).order_by(RUNS.c.id)))


@pytest.fixture
def here() -> Iterator[Here]:
    with ledger() as opened:
        made = Here(opened.conn)
        made.owner = made.write(a_member, made.organization.id, "owner@example.com")
        yield made


def test_each_event_starts_one_run_of_each_workflow_that_matches(here: Here) -> None:
    """However often it is dispatched."""
    matching = here.workflow(conditions=[{"property": "city", "op": "eq", "value": "Leeds"}])
    other = here.workflow(trigger={"type": "record.created", "objectType": "company"})
    here.contact(city="Leeds")
    here.contact(city="Rome")
    here.dispatch()
    here.write(_undispatch)
    here.dispatch()

    assert [matching.id] == [run.workflow_id for run in here.runs]
    assert other.enabled


def test_a_change_starts_a_run_only_where_it_is_of_a_watched_property(here: Here) -> None:
    """Conditions see the record as it was then, and what was changed."""
    trigger = {"type": "record.updated", "objectType": "contact", "properties": ["city"]}
    here.workflow(
        trigger=trigger, conditions=[{"property": "changed.city.from", "op": "eq", "value": "Rome"}]
    )
    contact = here.contact(city="Rome")
    for values in ({"name": "Bea"}, {"city": "Leeds"}, {"city": "York"}):
        here.write(records.update, here.organization, "contact", contact, values, source=API)
    here.dispatch()

    assert 1 == len(here.runs)


def test_what_happened_before_it_was_enabled_starts_nothing(here: Here) -> None:
    """Though it is dispatched after."""
    here.contact()
    here.workflow()
    here.dispatch()

    assert [] == here.runs


def test_of_a_burst_one_run_starts_with_its_last_event(here: Here) -> None:
    """So long after the last, and after the first at the latest; another burst is for itself."""
    debounce = {"by": "record.city", "seconds": 60, "atMost": 100}
    here.workflow(trigger={"type": "record.created", "objectType": "contact", "debounce": debounce})
    first_at = here.now + SECOND_MS
    for seconds in (0, 40, 40):
        here.now += seconds * SECOND_MS
        last = here.contact(city="Leeds")
        here.dispatch()
    [burst] = here.rows(BURSTS)
    here.contact(city="Rome")
    here.dispatch()
    here.now = first_at + 100 * SECOND_MS - 2 * SECOND_MS
    here.start_due()
    before = len(here.runs)
    here.now = first_at + 100 * SECOND_MS - SECOND_MS
    here.start_due()
    [run] = here.runs
    here.now += HOUR_MS
    here.start_due()

    assert (first_at, first_at + 100 * SECOND_MS) == (burst.first_at, burst.due_at)
    assert 0 == before
    assert f'"recordId":"{last}"' in run.event.replace(" ", "")
    assert 2 == len(here.runs)
    assert [] == here.rows(BURSTS)


def test_a_burst_that_is_over_starts_its_run_when_the_next_begins(here: Here) -> None:
    """Though no unit came in between."""
    debounce = {"by": "record.city", "seconds": 60, "atMost": 60}
    here.workflow(trigger={"type": "record.created", "objectType": "contact", "debounce": debounce})
    here.contact()
    here.dispatch()
    here.now += HOUR_MS
    here.contact()
    here.dispatch()

    assert 1 == len(here.runs)
    assert 1 == len(here.rows(BURSTS))


def test_each_occurrence_of_a_schedule_starts_one_run(here: Here) -> None:
    """And the next one is planned."""
    made = here.workflow({"key": "end", "type": "stop"}, trigger={"type": "schedule", "cron": "*/15 * * * *"})
    assert made.next_at is not None
    for _ in range(3):
        planned = here.conn.execute(_PLANNED).scalar_one()
        here.now = planned - SECOND_MS
        here.start_due()
        here.start_due()

    assert [f"2026-09-18T{minutes}:00.000Z" for minutes in ("00:15", "00:30", "00:45")] == [
        run.started_by for run in here.runs
    ]
    assert not any('"late":true' in run.event for run in here.runs)
    assert made.next_at + 45 * MINUTE_MS == here.conn.execute(_PLANNED).scalar_one()


def test_of_missed_occurrences_the_latest_of_a_day_starts_marked_late(here: Here) -> None:
    """What is older is left out."""
    here.workflow({"key": "end", "type": "stop"}, trigger={"type": "schedule", "cron": "0 9 * * *"})
    here.now += 3 * DAY_MS + 12 * HOUR_MS
    here.start_due()
    here.workflow({"key": "end", "type": "stop"}, trigger={"type": "schedule", "cron": "0 9 18 9 *"})
    here.now += 400 * DAY_MS
    here.start_due()

    late = [(run.started_by[:10], '"late":true' in run.event) for run in here.runs]
    assert ("2026-09-21", True) == late[0]
    assert all(day >= "2027-10-25" for day, _ in late[1:])


def test_a_thousand_runs_of_a_workflow_start_in_a_minute_and_the_others_wait(here: Here) -> None:
    """Within any minute; they are open runs, with the time when they begin."""
    made = here.workflow()
    here.now += SECOND_MS
    begun = here.now + SECOND_MS

    def start(tx: Tx, count: int) -> None:
        event = Event(id=None, type="manual", timestamp="", organization_id=here.organization.id)
        new = starting.new_run(made, event)
        starting.start(tx, here.organization.id, [new] * count)

    for count in (900, 200):
        here.write(start, count)
    here.now += 30 * SECOND_MS
    here.write(start, 10)
    times = [run.started_at - begun for run in here.runs]

    assert [0] * 900 + [SECOND_MS] * 100 == times[:1_000]
    assert [60 * SECOND_MS] * 110 == times[1_000:]
    assert {"running"} == {run.state for run in here.runs}


def test_beyond_the_open_runs_a_run_is_recorded_as_failed(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the reason, and an event of it."""
    monkeypatch.setattr(starting, "RUNS_OPEN_MAX", 2)
    here.workflow()
    for _ in range(3):
        here.contact()
    here.dispatch()
    failures = here.rows(metadata.tables["events"], type="workflow.run_failed")

    assert [("running", None)] * 2 + [("failed", "too_many_runs")] == [
        (run.state, run.reason) for run in here.runs
    ]
    assert [here.runs[-1].id] == [event.subject for event in failures]


def test_the_start_of_runs_is_announced_once(here: Here) -> None:
    """After the commit, so that they are stepped."""
    here.workflow()
    here.contact()
    here.contact()

    def dispatched(tx: Tx) -> list[Any]:
        dispatch.dispatch(tx, here.organization.id)
        return [change for change in tx.changes if isinstance(change, RunsDue)]

    assert [RunsDue(here.organization.id)] == here.write(dispatched)


def test_conditions_on_what_is_gone_start_nothing(here: Here) -> None:
    """Nothing can match them any more; others still do."""
    conditions = [{"property": "city", "op": "eq", "value": "Leeds"}]
    here.workflow(conditions=conditions)
    second = here.workflow()
    here.conn.execute(
        metadata.tables["properties"]
        .update()
        .where(metadata.tables["properties"].c.slug == "city")
        .values(deleted_at=here.now)
    )
    here.contact()
    here.dispatch()

    assert [second.id] == [run.workflow_id for run in here.runs]


def test_a_closed_organization_has_no_run_any_more(here: Here) -> None:
    """Nothing is started, and what was open is cancelled."""
    here.workflow(NOTE)
    here.contact()
    here.dispatch()
    here.write(workflows.stop_all, here.organization.id)
    here.contact()
    here.dispatch()

    assert ["cancelled"] == [run.state for run in here.runs]
    assert runs.next_wake_at(here.conn, here.organization.id) is None


def _undispatch(tx: Tx) -> None:
    """As if the mark had been lost."""
    tx.conn.execute(metadata.tables["events"].update().values(position=None))
    tx.conn.execute(metadata.tables["event_positions"].delete())
