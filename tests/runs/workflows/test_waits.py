"""Runs that wait for an event: found by what it has to say, and judged little by little."""

from typing import Any

import pytest
import trio

from svc.storage.events import events
from svc.storage.metadata import metadata
from svc.storage.store import Tx
from svc.storage.workflows import dispatch, waking
from tests.events import free_event
from tests.tooling import tool_town
from tests.workflows import contact, enabled, runs_of

STEPS = metadata.tables["workflow_steps"]


def a_wait(*where: dict[str, Any], event: str = "record.updated") -> dict[str, Any]:
    return {"key": "pause", "type": "wait", "event": event, "where": [*where], "seconds": 86_400}


def of(path: str, value: Any, op: str = "eq") -> dict[str, Any]:
    return {"property": path, "op": op, "value": value}


NAMED = of("city", "{{record.name}}")
"""A filter by which a run is found."""
UNNAMED = of("city", "{{record.name}}", "starts_with")
"""The same, judged for each event."""


@pytest.mark.parametrize("where", [NAMED, UNNAMED])
async def test_an_event_wakes_the_runs_that_wait_for_what_it_says(autojump_clock, where: dict[str, Any]):
    """Whether they are found by it or judged, and those alone."""
    async with tool_town() as here:
        await enabled(here, a_wait(where))
        for name in ("Leeds", "Rome", "Leeds"):
            await contact(here, name=name)
        other = await contact(here, name="Ada")
        await trio.sleep(2)
        await here.answer("record.update", {"id": other, "properties": {"city": "leeds"}})
        await trio.sleep(2)

        assert ["done", "waiting", "done", "waiting"] == [run["state"] for run in await runs_of(here)]


@pytest.mark.sqlite  # PostgreSQL keeps out what is no JSON
async def test_runs_with_another_key_are_not_even_read(autojump_clock, monkeypatch):
    """Ten thousand that wait for events of other records cost an event nothing."""
    told: list[str] = []
    monkeypatch.setattr(waking, "tell", lambda _table, run_id, _error: told.append(run_id))
    async with tool_town() as here:
        await enabled(here, a_wait(of("event.data.recordId", "{{record.id}}")))
        first, mary, _ = [await contact(here, name=name) for name in ("Ada", "Mary", "Eve")]
        await trio.sleep(2)
        run, second, _ = await runs_of(here)
        await here.store.write(_break_inputs, run["id"])
        await here.answer("record.update", {"id": first, "properties": {"city": "Leeds"}})
        await trio.sleep(2)
        of_first, woken = [*told], (await here.answer("workflow.run_get", {"id": run["id"]}))["state"]
        await here.answer("record.update", {"id": mary, "properties": {"city": "Leeds"}})
        await trio.sleep(2)

        assert ([], "done") == (of_first, woken)
        assert [second["id"]] == told


async def test_too_many_cannot_wait_without_saying_for_what(autojump_clock, monkeypatch):
    """The step of the next one is refused; those that are found by a filter are not among them."""
    monkeypatch.setattr(waking, "RUNS_WITHOUT_KEY_MAX", 2)
    async with tool_town() as here:
        await enabled(here, a_wait(UNNAMED))
        await enabled(here, a_wait(NAMED))
        for name in ("Leeds", "Rome", "Bath"):
            await contact(here, name=name)
            await trio.sleep(2)
        runs = await runs_of(here)
        [error] = [run["steps"][0]["error"] for run in runs if run["state"] == "failed"]

        assert 5 == [run["state"] for run in runs].count("waiting")
        assert ("conflict", "2 runs wait for record.updated") == (error["code"], error["detail"][:30])


@pytest.mark.parametrize(("judged_max", "units"), [(1, 5), (2, 4), (4, 2), (100, 1)])
async def test_events_are_dispatched_in_units_that_judge_few_runs(
    autojump_clock, monkeypatch, judged_max: int, units: int
):
    """At least one event in each; none is lost at the boundary, and each run goes on with the first."""
    monkeypatch.setattr(waking, "DISPATCH_JUDGED_MAX", judged_max)
    async with tool_town() as here:
        await enabled(here, a_wait(UNNAMED))
        for name in ("Leeds", "Rome"):
            await contact(here, name=name)
        await trio.sleep(2)
        done = await here.store.write(_updated_and_dispatched, here.organization.id)
        await trio.sleep(2)
        runs = await runs_of(here)

        assert (units, 5) == (len(done), sum(one.events for one in done))
        assert [True] * (units - 1) + [False] == [one.more for one in done]
        assert ["1 Leeds", "3 Rome"] == [run["steps"][0]["output"]["event"]["data"]["said"] for run in runs]


def _updated_and_dispatched(tx: Tx, organization_id: str) -> list[dispatch.DispatchResult]:
    """Record five events in one unit of work, and dispatch them, as the units of the dispatcher do."""
    for number, city in enumerate(["Bath", "Leeds", "Leeds", "Rome", "Bath"]):
        record = {"id": "rec_1", "objectType": "contact", "properties": {"city": city}}
        data = {"objectType": "contact", "record": record, "said": f"{number} {city}"}
        happened = free_event("record.updated", "rec_1", {"kind": "key"}, data)
        events.record(tx, organization_id, [happened])
    done = [dispatch.dispatch(tx, organization_id)]
    while done[-1].more:
        done.append(dispatch.dispatch(tx, organization_id))
    return done


def _break_inputs(tx: Tx, but: str) -> None:
    """Make the inputs of all runs unreadable, *but* of one."""
    tx.conn.execute(STEPS.update().where(STEPS.c.run_id != but).values(input="broken"))
