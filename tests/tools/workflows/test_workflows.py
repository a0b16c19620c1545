"""`workflow.*`: documents are checked when they are saved, and run in the name of who enabled them."""

from typing import Any

import pytest
import sqlalchemy as sa
import trio

from svc.storage.identity import roles
from svc.storage.workflows.tables import workflows
from tests.people import call_of
from tests.tooling import tool_town
from tests.workflows import NEW_CONTACT, NOTE, a_document, contact, enabled, runs_of

TITLE = {"key": "title", "type": "update_record", "properties": {"job_title": "Lead"}}


async def test_a_new_workflow_is_disabled_and_starts_nothing(autojump_clock):
    """It acts as nobody until it was enabled."""
    async with tool_town() as here:
        made = await here.answer("workflow.create", a_document())
        await contact(here)
        await trio.sleep(2)

        assert (False, 1, None) == (made["enabled"], made["version"], made["actsAs"])
        assert made.items() <= (await here.answer("workflow.get", {"id": made["id"]})).items()
        assert [] == await runs_of(here)


async def test_a_document_is_answered_as_it_was_written(autojump_clock):
    """What it leaves out is left out."""
    async with tool_town() as here:
        document = a_document(
            {
                "key": "big",
                "type": "branch",
                "conditions": [{"property": "city", "op": "eq", "value": "Leeds"}],
                "then": [NOTE],
                "else": [{"key": "pause", "type": "wait", "seconds": 60}],
            },
            conditions=[{"property": "name", "op": "is_not_empty"}],
        )
        made = await here.answer("workflow.create", document)

        assert document["trigger"] == made["trigger"]
        assert document["steps"] == made["steps"]
        assert document["conditions"] == made["conditions"]


@pytest.mark.parametrize(
    ("document", "pointers"),
    [
        pytest.param(
            a_document(NOTE, NOTE | {"body": "{{record.nme}}"}),
            {"/steps/1/key", "/steps/1/body"},
            id="a key that stands twice, and a path that leads nowhere",
        ),
        pytest.param(
            a_document(trigger={"type": "record.created", "objectType": "lump"}),
            {"/trigger/objectType"},
            id="an object that there is not",
        ),
        pytest.param(
            a_document(trigger={"type": "schedule", "cron": "0 0 31 2 *"}),
            {"/trigger/cron", "/steps/0/record", "/steps/0/body"},
            id="a time that never comes, and a record where there is none",
        ),
        pytest.param(
            a_document(trigger={"type": "submitted a form", "formId": "frm_1"}),
            {"/trigger/formId"},
            id="a form that there is not",
        ),
        pytest.param(
            a_document({"key": "call", "type": "call_webhook", "webhookId": "whk_1"}),
            {"/steps/0/webhookId"},
            id="a webhook that there is not",
        ),
        pytest.param(
            a_document(TITLE | {"properties": {"job_title": 7, "naem": "x"}}),
            {"/steps/0/properties/job_title", "/steps/0/properties/naem"},
            id="a value of another type, and a property that there is not",
        ),
    ],
)
async def test_every_fault_has_the_pointer_to_its_place(autojump_clock, document: Any, pointers: set[str]):
    """All of them at once, and nothing is saved."""
    async with tool_town() as here:
        refused = await here.call("workflow.create", document)

        assert 422 == refused.status_code
        assert pointers == {fault["pointer"] for fault in refused.json()["errors"]}
        assert [] == (await here.answer("workflow.list"))["workflows"]


async def test_a_stale_version_is_a_conflict(autojump_clock):
    """Nobody overwrites what they have not seen."""
    async with tool_town() as here:
        made = await here.answer("workflow.create", a_document())
        changed = await here.answer("workflow.update", {"id": made["id"], "version": 1, "name": "Meet"})
        stale = await here.call("workflow.update", {"id": made["id"], "version": 1, "name": "Welcome"})
        same = await here.answer("workflow.update", {"id": made["id"], "version": 2, "name": "Meet"})

        assert ("Meet", 2) == (changed["name"], changed["version"])
        assert (409, "conflict") == (stale.status_code, stale.json()["code"])
        assert changed == same


async def test_a_run_keeps_the_version_that_it_was_started_with(autojump_clock):
    """What is saved while it waits is for the next runs."""
    async with tool_town() as here:
        pause = {"key": "pause", "type": "wait", "seconds": 3_600}
        id_ = await enabled(here, pause, NOTE)
        await contact(here)
        await trio.sleep(2)
        await here.answer("workflow.update", {"id": id_, "version": 1, "steps": [pause, TITLE]})
        await contact(here, name="Mary")
        await trio.sleep(3_602)

        assert [(1, ["pause", "note"]), (2, ["pause", "title"])] == [
            (run["version"], [step["key"] for step in run["steps"]]) for run in await runs_of(here)
        ]


async def test_a_document_takes_the_rights_that_its_steps_take(autojump_clock):
    """Who may not write records saves no step that does."""
    async with tool_town() as here:
        role = await here.store.write(_a_role, here, ("workflows", "records.read"))
        key = await here.mint(role_id=role)
        refused = await here.call("workflow.create", a_document(), key=key)
        viewer = await here.call("workflow.list", key=await here.mint(role_id="viewer"))

        assert [("/steps/0/type", "forbidden")] == [
            (fault["pointer"], fault["code"]) for fault in refused.json()["errors"]
        ]
        assert 403 == viewer.status_code


async def test_a_key_for_some_tools_enables_nothing(autojump_clock):
    """Its steps would do what the key is not for."""
    async with tool_town() as here:
        made = await here.answer("workflow.create", a_document())
        key = await here.mint(tools=("workflow.enable", "workflow.update", "workflow.run"))
        refused = await here.call("workflow.enable", {"id": made["id"]}, key=key)
        tried = await here.call(
            "workflow.run", {"id": made["id"], "recordId": await contact(here), "dryRun": True}, key=key
        )

        assert [(403, "forbidden")] * 2 == [
            (answer.status_code, answer.json()["code"]) for answer in (refused, tried)
        ]


async def test_whoever_changes_an_enabled_workflow_is_who_it_acts_as(autojump_clock):
    """Otherwise what one writes would run with the rights of another."""
    async with tool_town() as here:
        id_ = await enabled(here)
        weaker = await here.member("bob@example.com", "admin")
        key = await here.mint(weaker, role_id="admin")
        changed = await here.answer("workflow.update", {"id": id_, "version": 1, "name": "Meet"}, key=key)

        assert weaker.id == changed["actsAs"]["personId"]


async def test_a_disabled_workflow_starts_no_more_and_its_runs_go_on_unless_cancelled(autojump_clock):
    """Cancelled ones do no further step."""
    async with tool_town() as here:
        id_ = await enabled(here, {"key": "pause", "type": "wait", "seconds": 60}, NOTE)
        await contact(here)
        await trio.sleep(2)
        await here.answer("workflow.disable", {"id": id_})
        await contact(here, name="Mary")
        await trio.sleep(60)
        [first] = await runs_of(here)
        await here.answer("workflow.enable", {"id": id_})
        await contact(here, name="Hedy")
        await trio.sleep(2)
        disabled = await here.answer("workflow.disable", {"id": id_, "cancelRuns": True})
        await trio.sleep(60)

        assert False is disabled["enabled"]
        assert "done" == first["state"]
        assert ["done", "cancelled"] == [run["state"] for run in await runs_of(here)]
        assert ["cancelled"] == [step["state"] for step in (await runs_of(here))[1]["steps"]]


async def test_a_deleted_workflow_is_gone_and_its_runs_are_cancelled(autojump_clock):
    """A key may not: it takes an approval."""
    async with tool_town() as here:
        id_ = await enabled(here, {"key": "pause", "type": "wait", "seconds": 60}, NOTE)
        await contact(here)
        await trio.sleep(2)
        by_key = await here.call("workflow.delete", {"id": id_})
        csrf = await here.sign_in()
        deleted = await here.answer_to_person("workflow.delete", {"id": id_}, csrf=csrf)
        await contact(here)
        await trio.sleep(120)

        assert "approval_required" == by_key.json()["code"]
        assert id_ == deleted["id"]
        assert 404 == (await here.call("workflow.get", {"id": id_})).status_code
        assert ["cancelled"] == [run["state"] for run in await runs_of(here)]


async def test_the_triggers_are_listed(autojump_clock):
    """Each with what its conditions and steps see."""
    async with tool_town() as here:
        listed = (await here.answer("workflow.trigger_list"))["triggers"]

        assert [
            "submitted a form",
            "record.created",
            "record.updated",
            "message.received",
            "schedule",
            "manual",
        ] == [one["type"] for one in listed]
        assert ["record", "changed", "event"] == listed[2]["roots"]
        assert NEW_CONTACT == listed[1]["trigger"]


def _a_role(tx: Any, here: Any, permissions: tuple[Any, ...]) -> str:
    return roles.create(tx, call_of(here.owner, here.organization.id), "Some", permissions).id


@pytest.mark.sqlite  # PostgreSQL keeps out what is no JSON
async def test_one_workflow_that_cannot_be_read_hides_no_other(autojump_clock):
    """What is stored of it was damaged on the disk: the list has the rest."""
    async with tool_town() as here:
        good = await here.answer("workflow.create", a_document())
        bad = await here.answer("workflow.create", a_document())
        await here.store.write(
            lambda tx: tx.conn.execute(
                sa.update(workflows).where(workflows.c.id == bad["id"]).values(enabler="{")
            )
        )

        assert [good["id"]] == [one["id"] for one in (await here.answer("workflow.list", {}))["workflows"]]
