"""Steps of runs: each does what its tool does, with its rights, and fails alone."""

from itertools import pairwise
from typing import Any

import msgspec
import pytest
import trio
from sqlalchemy import select

from svc.domain.channels.connections import Account
from svc.domain.errors import Unavailable
from svc.domain.identity.callers import operator_call
from svc.domain.workflows.limits import STEP_RETRY_MS
from svc.runs.workflows import effects
from svc.storage.identity import members
from svc.storage.identity.members import MemberChanges
from svc.storage.metadata import metadata
from svc.storage.store import Tx
from tests.channels import a_connection, a_message
from tests.tooling import ToolTown, tool_town
from tests.workflows import NOTE, contact, enabled, outputs, runs_of, states

TABLES = metadata.tables
NEW = {"type": "create_record", "objectType": "contact"}


async def test_effects_are_those_of_tools(autojump_clock):
    """With their events, which say the run; their timeline; and their audit, in the name of the workflow."""
    async with tool_town() as here:
        steps = (
            {"key": "deal", "type": "create_deal", "name": "Lamp for {{record.name}}"},
            {
                "key": "lamp",
                "type": "create_record",
                "objectType": "company",
                "properties": {"name": "{{record.city}}"},
            },
            {"key": "title", "type": "update_record", "properties": {"company": "{{steps.lamp.recordId}}"}},
            {
                "key": "note",
                "type": "add_note",
                "title": "T",
                "body": "{{record.name}} of {{steps.deal.recordId}}",
            },
        )
        id_ = await enabled(here, *steps)
        record = await contact(here, city="Leeds")
        await trio.sleep(2)
        [run] = await runs_of(here)
        made = outputs(run)
        deal = await here.answer("record.get", {"id": made["deal"]["recordId"]})
        shown = await here.answer("record.get", {"id": record})
        [note] = (await here.answer("note.list", {"recordId": record}))["notes"]
        sources = [
            msgspec.json.decode(row.data)["source"]
            for row in await here.rows(TABLES["events"])
            if row.depth == 1
        ]
        audited = await here.answer("audit.list", {"callerId": id_})

        assert "done" == run["state"]
        assert ("New", record, "Lamp for Ada") == tuple(
            deal["properties"][name] for name in ("stage", "contact", "name")
        )
        assert made["lamp"]["recordId"] == shown["properties"]["company"]
        assert ("T", f"Ada of {deal['id']}", made["note"]["noteId"]) == (
            note["title"],
            note["body"],
            note["id"],
        )
        assert [{"kind": "workflow", "workflowId": id_, "runId": run["id"], "depth": 1}] * 3 == sources
        assert ["note.create", "record.update", "record.create", "record.create"] == [
            entry["action"] for entry in audited["entries"]
        ]
        assert {here.owner.id} == {entry["personId"] for entry in audited["entries"]}


async def test_a_message_is_answered_and_its_conversation_assigned(autojump_clock):
    """As the member who enabled the workflow would."""
    async with tool_town() as here:
        connection = await here.store.write(a_connection, here.organization.id)
        assign = {"key": "mine", "type": "assign", "memberId": here.owner.id}
        reply = {"key": "hello", "type": "reply", "text": "You said: {{message.text}}"}
        await enabled(here, assign, reply, trigger={"type": "message.received"})
        await here.store.write(a_message, connection)
        await trio.sleep(2)
        [run] = await runs_of(here)
        [conversation] = (await here.answer("conversation.list"))["conversations"]
        listed = await here.answer("message.list", {"conversationId": conversation["id"]})

        assert ("done", {"mine": "done", "hello": "done"}) == (run["state"], states(run))
        assert here.owner.id == conversation["memberId"]
        assert ["You said: Hi", "Hi"] == [message["text"] for message in listed["messages"]]
        assert listed["messages"][0]["id"] == outputs(run)["hello"]["replyId"]


async def test_from_a_members_own_account_only_their_own_workflow_answers(autojump_clock):
    """The workflow of anybody else is refused."""
    async with tool_town() as here:
        account = Account("member", here.owner.id)
        connection = await here.store.write(a_connection, here.organization.id, account=account)
        reply = {"key": "hello", "type": "reply", "text": "Hi"}
        bob = await here.mint(await here.member("bob@example.com", "admin"))
        for key in (None, bob):
            await enabled(here, reply, trigger={"type": "message.received"}, key=key)
        await here.store.write(a_message, connection)
        await trio.sleep(2)

        assert [("done", None), ("failed", "forbidden")] == [
            (run["state"], run["reason"]) for run in await runs_of(here)
        ]


async def test_a_record_is_assigned_to_a_member(autojump_clock):
    """By a property of that type."""
    async with tool_town() as here:
        await here.answer(
            "property.create",
            {"objectType": "contact", "slug": "keeper", "label": "Keeper", "type": "member"},
        )
        await enabled(here, {"key": "a", "type": "assign", "property": "keeper", "memberId": here.owner.id})
        record = await contact(here)
        await trio.sleep(2)
        shown = await here.answer("record.get", {"id": record})

        assert here.owner.id == shown["properties"]["keeper"]


async def test_a_step_may_what_its_enabler_may_at_that_moment(autojump_clock):
    """A weaker role, and a member no more, end the run; nothing of the step is done."""
    async with tool_town() as here:
        bob = await here.member("bob@example.com", "admin")
        await enabled(here, {"key": "pause", "type": "wait", "seconds": 60}, NOTE, key=await here.mint(bob))
        record = await contact(here)
        await trio.sleep(2)
        await here.store.write(
            members.update, operator_call(here.organization.id), bob.id, MemberChanges(role_id="viewer")
        )
        await trio.sleep(60)
        await contact(here)
        await here.store.write(members.deactivate, operator_call(here.organization.id), bob.id)
        await trio.sleep(62)
        first, second = await runs_of(here)
        failures = await here.rows(TABLES["events"], type="workflow.run_failed")

        assert [("failed", "forbidden")] * 2 == [(run["state"], run["reason"]) for run in (first, second)]
        assert {"pause": "done", "note": "failed"} == states(first)
        assert "forbidden" == first["steps"][1]["error"]["code"]
        assert [] == (await here.answer("note.list", {"recordId": record}))["notes"]
        assert [first["id"], second["id"]] == [event.subject for event in failures]
        assert {"workflowId": first["workflowId"], "reason": "forbidden", "step": "note"}.items() <= (
            msgspec.json.decode(failures[0].data).items()
        )


async def test_a_key_gives_no_more_than_its_role(autojump_clock):
    """Though the person who made it may more."""
    async with tool_town() as here:
        key = await here.mint(role_id="admin")
        id_ = await enabled(here, {"key": "pause", "type": "wait", "seconds": 60}, NOTE, key=key)
        await contact(here)
        await trio.sleep(2)
        await here.store.write(_set_role_of_runs, "viewer")
        await trio.sleep(60)
        [run] = await runs_of(here)

        assert "admin" == (await here.answer("workflow.get", {"id": id_}))["actsAs"]["roleId"]
        assert ("failed", "forbidden") == (run["state"], run["reason"])


async def test_a_refused_step_ends_the_run_or_is_passed_over(autojump_clock):
    """Its error is there for the steps after it."""
    async with tool_town() as here:
        wrong = {"key": "wrong", "type": "update_record", "properties": {"email": "{{record.city}}"}}
        told = {"key": "told", "type": "add_note", "body": "{{steps.wrong.error}}"}
        await enabled(here, wrong, told)
        await enabled(here, wrong | {"onError": "continue"}, told)
        record = await contact(here, city="Leeds")
        await trio.sleep(2)
        first, second = await runs_of(here)
        [note] = (await here.answer("note.list", {"recordId": record}))["notes"]

        assert ("failed", "refused", {"wrong": "failed"}) == (first["state"], first["reason"], states(first))
        assert ["/properties/email"] == [fault["pointer"] for fault in first["steps"][0]["error"]["errors"]]
        assert ("done", {"wrong": "failed", "told": "done"}) == (second["state"], states(second))
        assert note["body"].startswith("/properties/email: ")


async def test_a_step_that_crashes_takes_no_other_run_with_it(autojump_clock, monkeypatch):
    """What it had written is rolled back, and the run says that the program failed."""
    perform = effects.perform

    def crash(tx: Tx, call: Any, step: Any, filled: Any, context: Any) -> Any:
        done = perform(tx, call, step, filled, context)
        if filled["body"] == "Hello Poison":
            raise RuntimeError("a bug")
        return done

    monkeypatch.setattr(effects, "perform", crash)
    async with tool_town() as here:
        await enabled(here)
        ids = [await contact(here, name=name) for name in ("Ada", "Poison", "Hedy")]
        await trio.sleep(2)
        found = [(await here.answer("note.list", {"recordId": id_}))["notes"] for id_ in ids]

        assert ["done", "failed", "done"] == [run["state"] for run in await runs_of(here)]
        assert "error" == (await runs_of(here, state="failed"))[0]["reason"]
        assert [1, 0, 1] == [len(notes) for notes in found]


@pytest.mark.sqlite  # PostgreSQL keeps out what is no JSON
async def test_a_run_that_cannot_be_read_fails_alone(autojump_clock):
    """Others of the same set go on."""
    async with tool_town() as here:
        await enabled(here, {"key": "pause", "type": "wait", "seconds": 60}, NOTE)
        for name in ("Ada", "Mary"):
            await contact(here, name=name)
        await trio.sleep(2)
        rows = await here.rows(TABLES["workflow_runs"])
        await here.store.write(_break_event, rows[0].id)
        await trio.sleep(60)
        first, second = await here.rows(TABLES["workflow_runs"])

        assert [("failed", "error"), ("done", None)] == [(row.state, row.reason) for row in (first, second)]


async def test_what_only_a_later_program_knows_stays_where_it_is(autojump_clock):
    """A run whose document has a step that this program has not is looked at again, and does not fail."""
    async with tool_town() as here:
        id_ = await enabled(here, {"key": "pause", "type": "wait", "seconds": 60}, NOTE)
        await contact(here)
        await trio.sleep(2)
        document = (await _rows_of(here, "workflow_versions"))[0].document
        await here.store.write(_set_document, document.replace('"add_note"', '"approval"'))
        await trio.sleep(7_200)
        [waiting] = await here.rows(TABLES["workflow_runs"])
        await here.store.write(_set_document, document)
        await trio.sleep(7_200)
        [run] = await runs_of(here)

        assert ("waiting", "done") == (waiting.state, run["state"])
        assert id_ == run["workflowId"]


async def test_what_is_unavailable_is_no_refusal(autojump_clock, monkeypatch):
    """The step is begun again until it can be done."""
    perform, times = effects.perform, []

    def busy(tx: Tx, call: Any, step: Any, filled: Any, context: Any) -> Any:
        times.append(tx.now)
        if len(times) < 3:
            raise Unavailable("not now")
        return perform(tx, call, step, filled, context)

    monkeypatch.setattr(effects, "perform", busy)
    async with tool_town() as here:
        await enabled(here)
        await contact(here)
        await trio.sleep(12)
        [run] = await runs_of(here)

        assert ("done", 3) == (run["state"], run["steps"][0]["attempts"])
        assert [STEP_RETRY_MS] * 2 == [after - before for before, after in pairwise(times)]


async def test_a_run_waits_until_a_time(autojump_clock):
    """That a record has; one that is over is not waited for."""
    async with tool_town() as here:
        until = {"key": "pause", "type": "wait", "until": "record.close_date"}
        trigger = {"type": "record.created", "objectType": "deal"}
        await enabled(here, until, {"key": "end", "type": "stop"}, trigger=trigger)
        for day in ("2026-09-20", "2026-09-01"):
            properties = {"name": "Lamp", "close_date": day}
            await here.answer("record.create", {"objectType": "deal", "properties": properties})
        await trio.sleep(2)
        first, second = await runs_of(here)

        # The organization's day begins at midnight in its time zone, which is UTC.
        assert ("waiting", "2026-09-20T00:00:00.000Z") == (first["state"], first["wakeAt"])
        assert "done" == second["state"]


async def test_a_run_goes_on_with_an_event_or_after_the_time(autojump_clock):
    """What happened before does not count, nor what is of another record, nor what it did itself."""
    async with tool_town() as here:
        steps = (
            {"key": "own", "type": "update_record", "properties": {"job_title": "Guest"}},
            {
                "key": "moved",
                "type": "wait",
                "event": "record.updated",
                "where": [{"property": "record.id", "op": "eq", "value": "{{record.id}}"}],
                "seconds": 600,
            },
            {
                "key": "note",
                "type": "add_note",
                "body": "Now {{steps.moved.event.data.record.properties.city}}",
            },
        )
        await enabled(here, *steps)
        ada, mary = await contact(here), await contact(here, name="Mary")
        await trio.sleep(2)
        waiting = [run["state"] for run in await runs_of(here)]
        await here.answer("record.update", {"id": ada, "properties": {"city": "Leeds"}})
        await trio.sleep(2)
        first, second = await runs_of(here)
        [note] = (await here.answer("note.list", {"recordId": ada}))["notes"]
        await trio.sleep(600)
        late = (await runs_of(here))[1]

        assert ["waiting", "waiting"] == waiting
        assert ("done", "Now Leeds") == (first["state"], note["body"])
        assert "waiting" == second["state"]
        assert ("done", {"event": None}) == (late["state"], outputs(late)["moved"])
        assert "Now " == (await here.answer("note.list", {"recordId": mary}))["notes"][0]["body"]


async def test_runs_that_begin_one_another_end_at_the_ninth(autojump_clock):
    """It is recorded as failed, with the reason, and does nothing."""
    async with tool_town() as here:
        await enabled(here, NEW | {"key": "more", "properties": {"name": "X"}})
        await contact(here)
        await trio.sleep(30)
        runs = await runs_of(here)

        assert [*range(1, 10)] == [run["depth"] for run in runs]
        assert [("done", None)] * 8 + [("failed", "loop")] == [(run["state"], run["reason"]) for run in runs]
        assert 9 == await here.count(TABLES["records"])
        assert [] == runs[-1]["steps"]


async def _rows_of(here: ToolTown, table: str) -> list[Any]:
    return await here.store.read(lambda conn: list(conn.execute(select(TABLES[table]))))


def _set_role_of_runs(tx: Tx, role_id: str) -> None:
    runs = TABLES["workflow_runs"]
    for row in tx.conn.execute(select(runs.c.id, runs.c.enabler)).all():
        enabler = msgspec.json.decode(row.enabler) | {"roleId": role_id}
        tx.conn.execute(
            runs.update().where(runs.c.id == row.id).values(enabler=msgspec.json.encode(enabler).decode())
        )


def _break_event(tx: Tx, run_id: str) -> None:
    runs = TABLES["workflow_runs"]
    tx.conn.execute(runs.update().where(runs.c.id == run_id).values(event='{"id": 1'))


def _set_document(tx: Tx, document: str) -> None:
    tx.conn.execute(TABLES["workflow_versions"].update().values(document=document))
