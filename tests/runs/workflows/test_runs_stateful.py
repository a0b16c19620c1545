"""Runs beside a plain model of them: whatever happens and is lost on the way, each step is done once."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st
import msgspec
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from sqlalchemy import select

from svc.domain.errors import Conflict
from svc.domain.locale.times import SECOND_MS
from svc.runs.workflows import stepping
from svc.storage.metadata import metadata
from svc.storage.records import records
from svc.storage.workflows import dispatch, runs, workflows
from svc.storage.workflows.integrity import INVARIANTS
from tests.people import a_member, call_of
from tests.storage.ledger import API, ledger
from tests.workflows import a_document, a_workflow

RUNS, NOTES = metadata.tables["workflow_runs"], metadata.tables["notes"]
WAIT_SECONDS = 60
DOCUMENT = a_document(
    {"key": "first", "type": "add_note", "body": "first"},
    {
        "key": "moved",
        "type": "wait",
        "event": "record.updated",
        "where": [{"property": "record.id", "op": "eq", "value": "{{record.id}}"}],
        "seconds": WAIT_SECONDS,
    },
    {"key": "second", "type": "add_note", "body": "second {{steps.moved.event.type}}"},
    conditions=[{"property": "city", "op": "eq", "value": "Leeds"}],
)


class Lost(Exception):
    """Raised to lose a unit of work, as a crash before its commit does."""


class Runs(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.opened = ledger()
        self.here = self.opened.__enter__()
        self.organization = self.here.organization
        self.enabled_at: int | None = None
        self.contacts: list[str] = []
        self.undispatched: list[tuple[str, int]] = []
        """Contacts from Leeds, and when they were made."""
        self.expected: Counter[str] = Counter()
        """Runs, by their contact."""
        self.cancelled: set[str] = set()

    @initialize()
    def enable_first(self) -> None:
        owner = self.here.write(a_member, self.organization.id, "owner@example.com")
        self.call = call_of(owner, self.organization.id)
        self.workflow = self.here.write(a_workflow, self.call, DOCUMENT).id
        self.enabled_at = self.here.now

    @rule(city=st.sampled_from(["Leeds", "Rome"]))
    def create(self, city: str) -> None:
        given = {"name": "Ada", "city": city}
        made = self.here.write(records.create, self.organization, "contact", given, source=API)
        self.contacts.append(made.id)
        if city == "Leeds":
            self.undispatched.append((made.id, self.here.now))

    @rule(data=st.data(), title=st.sampled_from(["Lead", "Guest", "Owner"]))
    def change(self, data: st.DataObject, title: str) -> None:
        if self.contacts:
            which = data.draw(st.sampled_from(self.contacts))
            given = {"job_title": title}
            self.here.write(records.update, self.organization, "contact", which, given, source=API)

    @rule(lost=st.booleans())
    def dispatch(self, lost: bool) -> None:
        if self._unit(lambda tx: dispatch.dispatch(tx, self.organization.id), lost=lost):
            for contact, at in self.undispatched:
                if self.enabled_at is not None and at >= self.enabled_at:
                    self.expected[contact] += 1
            self.undispatched.clear()

    @rule(limit=st.integers(1, 3), lost=st.booleans())
    def step(self, limit: int, lost: bool) -> None:
        self._unit(lambda tx: stepping.step_due(tx, self.organization.id, limit), lost=lost)

    @rule(seconds=st.sampled_from([1, 30, WAIT_SECONDS]))
    def wait(self, seconds: int) -> None:
        self.here.now += seconds * SECOND_MS

    @rule()
    def disable(self) -> None:
        self.here.write(workflows.disable, self.organization.id, self.workflow)
        self.enabled_at = None

    @rule()
    def enable(self) -> None:
        self.here.write(workflows.enable, self.call, self.workflow)
        if self.enabled_at is None:
            self.enabled_at = self.here.now

    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        ids = [run.id for run in self._runs()]
        if ids:
            which = data.draw(st.sampled_from(ids))
            try:
                self.here.write(runs.cancel, self.organization.id, which)
            except Conflict:
                return
            self.cancelled.add(which)

    @invariant()
    def each_event_has_its_run(self) -> None:
        assert self.expected == Counter(_contact_of(run) for run in self._runs())

    @invariant()
    def no_note_is_there_twice(self) -> None:
        assert {1} >= set(self._notes().values())

    @invariant()
    def what_must_hold_holds(self) -> None:
        assert {} == {
            name: found for name, broken in INVARIANTS.items() if (found := [*broken(self.here.conn)])
        }

    def teardown(self) -> None:
        """In the end every run that was not cancelled is done, with each of its notes."""
        for _ in range(2):
            self.dispatch(lost=False)
            while self.here.write(stepping.step_due, self.organization.id, 50).steps:
                pass
            self.here.now += (WAIT_SECONDS + 1) * SECOND_MS
        while self.here.write(stepping.step_due, self.organization.id, 50).steps:
            pass
        notes = self._notes()
        for run in self._runs():
            kinds = {body.split()[0] for record, body in notes if record == _contact_of(run)}
            if run.id in self.cancelled:
                assert "cancelled" == run.state
            else:
                assert ("done", {"first", "second"}) == (run.state, kinds)
        self.each_event_has_its_run()
        self.no_note_is_there_twice()
        self.opened.__exit__(None, None, None)

    def _unit(self, unit: Callable[[Any], Any], *, lost: bool) -> bool:
        """Run a unit, which is rolled back at its end if it is to be *lost*; whether it was committed."""

        def run(tx: Any) -> None:
            unit(tx)
            if lost:
                raise Lost

        try:
            self.here.write(run)
        except Lost:
            return False
        return True

    def _runs(self) -> list[Any]:
        return list(self.here.conn.execute(select(RUNS).order_by(RUNS.c.id)))

    def _notes(self) -> Counter[tuple[str, str]]:
        rows = self.here.conn.execute(select(NOTES.c.record_id, NOTES.c.body))
        return Counter((row.record_id, row.body) for row in rows)


def _contact_of(run: Any) -> str:
    record_id: str = msgspec.json.decode(run.event)["data"]["recordId"]
    return record_id


@pytest.mark.fuzz
def test_runs_do_what_a_plain_model_does() -> None:
    """Any order of events, units and lost units leaves one run of each event, and each note once."""
    run_state_machine_as_test(
        Runs,
        settings=settings(
            max_examples=40,
            stateful_step_count=30,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )
