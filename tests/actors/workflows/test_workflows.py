"""Workflows: one timer for all that waits, one unit at a time, and runs that only the Reconciler finds."""

import trio
from sqlalchemy import select

from svc.actors.workflows.workflows import Workflows
from svc.domain.changes import RunsDue
from svc.domain.identity.organizations import Organization
from svc.domain.locale.times import SECOND_MS
from svc.domain.workflows.expressions.contexts import Event
from svc.storage import integrity, provisioning
from svc.storage.metadata import metadata
from svc.storage.records import records
from svc.storage.store import Tx
from svc.storage.workflows import starting, workflows
from tests.disk import Disk
from tests.people import a_member, call_of
from tests.tooling import tool_town
from tests.town import town
from tests.workflows import NOTE, a_document, a_workflow, contact, enabled, runs_of

RUNS = metadata.tables["workflow_runs"]
NOTES = metadata.tables["notes"]
PAUSE = {"key": "pause", "type": "wait", "seconds": 3_600}


async def test_runs_go_on_when_they_are_due_to_the_millisecond(autojump_clock):
    """The timer is of the earliest; each run is stepped at its time."""
    async with tool_town() as here:
        await enabled(here, PAUSE, NOTE)
        begun = []
        for seconds in (0, 100, 7):
            await trio.sleep(seconds)
            await contact(here)
            begun.append(here.clock.now())
        await trio.sleep(3_700)
        found = [run.ended_at - run.started_at for run in await here.rows(RUNS)]

        assert [3_600 * SECOND_MS] * 3 == found


async def test_a_long_wait_survives_passivation_and_restarts(autojump_clock):
    """It is a row with a time; the Reconciler wakes what it needs."""
    async with town() as here:
        owner = await here.store.write(a_member, here.organization.id, "owner@example.com")
        call = call_of(owner, here.organization.id)
        wait = {"key": "pause", "type": "wait", "seconds": 3 * 3_600}
        made = await here.store.write(a_workflow, call, a_document(wait, NOTE, trigger={"type": "manual"}))
        record = await here.store.write(_start, here.organization, made.id)
        for _ in range(2):
            async with here.live_system() as system:
                await trio.sleep(3_600)
                assert system.seen("Workflows", here.organization.id) is None
        async with here.live_system():
            await trio.sleep(3_661)

        [run] = await here.rows(RUNS)
        assert "done" == run.state
        assert 1 == await here.count(NOTES, record_id=record)


async def test_waiting_runs_have_no_task_and_no_actor(autojump_clock):
    """They are rows, however many."""
    async with tool_town() as here:
        id_ = await enabled(here, PAUSE, NOTE)
        await contact(here)
        await trio.sleep(2)
        await here.store.write(_multiply, 500)
        await trio.sleep(1_800)
        seen = here.system.seen("Workflows", here.organization.id)
        waiting = await here.count(RUNS, workflow_id=id_, state="waiting")
        await trio.sleep(1_810)

        assert seen is None
        assert 500 == waiting
        assert 500 == await here.count(RUNS, workflow_id=id_, state="done")


async def test_one_unit_at_a_time(autojump_clock):
    """What is woken while a unit waits for the disk is stepped after it, once."""
    async with tool_town() as here:
        await enabled(here)
        Disk(here.store).seconds = 2
        await contact(here)
        tasks = []
        for _ in range(20):
            await trio.sleep(0.5)
            await Workflows(here.system, here.organization.id).wake()
            seen = here.system.seen("Workflows", here.organization.id)
            assert seen is not None
            tasks.append(seen.tasks)
        await trio.sleep(10)

        assert 1 == max(tasks)
        assert 1 == await here.count(NOTES)


async def test_a_full_disk_delays_runs_and_counts_as_no_attempt(autojump_clock):
    """They go on when the disk takes work again."""
    async with tool_town() as here:
        await enabled(here)
        async with here.full_disk(NOTES):
            await contact(here)
            await trio.sleep(10)
            delayed = [(run.state, run.attempts) for run in await here.rows(RUNS)]
        await trio.sleep(10)
        [run] = await runs_of(here)

        assert [("running", 0)] == delayed
        assert ("done", 1) == (run["state"], run["steps"][0]["attempts"])


async def test_what_was_not_announced_is_found_by_the_reconciler(autojump_clock):
    """Runs, schedules and bursts of which no message came."""
    async with tool_town() as here:
        every_minute = {"type": "schedule", "cron": "* * * * *"}
        end = {"key": "end", "type": "stop"}
        manual = await enabled(here, NOTE, trigger={"type": "manual"})
        made = await here.answer("workflow.create", a_document(end, trigger=every_minute))

        def enable_quietly(tx: Tx) -> None:
            workflows.enable(tx, call_of(here.owner, here.organization.id), made["id"])
            tx.changes.clear()

        await here.store.write(enable_quietly)
        await here.store.write(_start, here.organization, manual)
        await trio.sleep(122)

        assert {"done"} == {run["state"] for run in await runs_of(here)}
        assert 2 == len(await runs_of(here, workflowId=made["id"]))


async def test_a_quiesced_system_begins_nothing(autojump_clock):
    """What is due stays due."""
    async with tool_town() as here:
        await enabled(here, PAUSE, NOTE)
        await contact(here)
        await trio.sleep(2)
        here.system.quiesce()
        await trio.sleep(7_200)

        assert [("waiting", True)] == [
            (run.state, run.wake_at < here.clock.now()) for run in await here.rows(RUNS)
        ]


async def test_closing_an_organization_cancels_its_runs(autojump_clock):
    """None of its steps is done any more, and all that must hold does."""
    async with tool_town() as here:
        await enabled(here, PAUSE, NOTE)
        await contact(here)
        await trio.sleep(2)
        await here.store.write(
            provisioning.close, here.organization.id, source={"kind": "person", "id": "usr_1"}
        )
        await trio.sleep(7_200)

        assert ["cancelled"] == [run.state for run in await here.rows(RUNS)]
        assert 0 == await here.count(NOTES)
        assert [] == [
            one for one in await here.store.read(lambda conn: [*integrity.check(conn)]) if one.broken
        ]


def _start(tx: Tx, organization: Organization, workflow_id: str) -> str:
    """A run with a new contact, of which nothing is announced."""
    record = records.create(tx, organization, "contact", {"name": "Ada"}, source={"kind": "api"})
    event = Event(
        id=None,
        type="manual",
        timestamp="2026-09-18T00:00:00.000Z",
        organization_id=organization.id,
        data={"recordId": record.id},
    )
    workflow = workflows.get(tx.conn, organization.id, workflow_id)
    starting.start(tx, organization.id, [starting.new_run(workflow, event)])
    tx.changes.clear()
    return record.id


def _multiply(tx: Tx, count: int) -> None:
    """Copies of the only run and of its step, until there are *count*."""
    steps = metadata.tables["workflow_steps"]
    run = tx.conn.execute(select(RUNS)).mappings().one()
    step = tx.conn.execute(select(steps)).mappings().one()
    ids = [tx.new_id("run") for _ in range(count - 1)]
    tx.conn.execute(RUNS.insert(), [{**run, "id": id_, "started_by": id_} for id_ in ids])
    tx.conn.execute(steps.insert(), [{**step, "run_id": id_} for id_ in ids])
    tx.announce(RunsDue(run["organization_id"]))
