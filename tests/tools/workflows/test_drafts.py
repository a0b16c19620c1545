"""Drafts: what is wrong with a document before it is saved, what it would start for, and what it would do."""

from typing import Any

import trio

from svc.storage.identity import roles
from tests.people import call_of
from tests.tooling import ToolTown, tool_town
from tests.workflows import NOTE, a_document, contact, enabled, runs_of, states

LEEDS = [{"property": "city", "op": "eq", "value": "Leeds"}]


async def _report(here: ToolTown, draft: Any, key: str | None = None) -> Any:
    answer = await here.answer("workflow.trigger_list", {"draft": draft}, key=key)
    return answer["draft"]


async def test_a_draft_is_told_its_faults_at_their_places(autojump_clock):
    """Those of its shape, and those that only the organization's objects show; nothing is saved."""
    async with tool_town() as here:
        good = await _report(here, a_document())
        shape = await _report(here, a_document({"key": "x", "type": "wait", "seconds": 0}))
        path = await _report(here, a_document(NOTE | {"body": "{{record.nme}}"}))
        bare = await _report(here, {})

        assert [] == good["faults"]
        assert ["/steps/0/seconds"] == [one["pointer"] for one in shape["faults"]]
        assert [("/steps/0/body", "unknown_path")] == [
            (one["pointer"], one["code"]) for one in path["faults"]
        ]
        assert {"/name", "/trigger", "/steps"} == {one["pointer"] for one in bare["faults"]}
        assert [] == (await here.answer("workflow.list"))["workflows"]


async def test_a_draft_says_which_past_events_it_would_start_for(autojump_clock):
    """Whatever its steps are like: an unfinished one is judged by its trigger and its conditions."""
    async with tool_town() as here:
        await contact(here, name="Ada", city="Leeds")
        await contact(here, name="Grace", city="York")
        await trio.sleep(2)
        events = (await _report(here, a_document(conditions=LEEDS, steps=[])))["events"]

        assert [("Grace", False), ("Ada", True)] == [(one["name"], one["whyNot"] == []) for one in events]
        assert ["/conditions/0 does not hold: city eq"] == events[0]["whyNot"]


async def test_past_events_are_for_those_who_may_see_them(autojump_clock):
    """As `event.list` has them for nobody else."""
    async with tool_town() as here:
        await contact(here)
        await trio.sleep(2)
        call = call_of(here.owner, here.organization.id)
        role = await here.store.write(roles.create, call, "Some", ("workflows",))
        key = await here.mint(role_id=role.id)

        assert [] == (await _report(here, a_document(), key))["events"]
        assert 1 == len((await _report(here, a_document()))["events"])


async def test_a_draft_is_tried_and_nothing_of_it_stays(autojump_clock):
    """As a new workflow, or as the next version of one, which goes on as it was."""
    async with tool_town() as here:
        id_ = await enabled(here)
        await contact(here, city="Leeds")
        await trio.sleep(2)
        before = await here.answer("workflow.get", {"id": id_})
        [run] = await runs_of(here)
        draft = a_document({"key": "city", "type": "add_note", "body": "In {{record.city}}"}, name="Other")
        asked = {"draft": draft, "eventId": run["eventId"], "dryRun": True}
        new = await here.answer("workflow.run", asked)
        changed = await here.answer("workflow.run", asked | {"id": id_})

        for tried in (new, changed):
            assert {"city": "done"} == states(tried)
            assert "In Leeds" == tried["steps"][0]["input"]["body"]
        assert 2 == changed["version"]
        assert before == await here.answer("workflow.get", {"id": id_})
        assert [run] == await runs_of(here)
        assert 1 == len((await here.answer("workflow.list"))["workflows"])


async def test_a_faulty_draft_is_refused_below_its_name(autojump_clock):
    """And one is never run."""
    async with tool_town() as here:
        record = await contact(here)
        faulty = {"draft": a_document(NOTE, NOTE), "recordId": record, "dryRun": True}
        refused = await here.call("workflow.run", faulty)
        unsafe = await here.call("workflow.run", {"draft": a_document(), "recordId": record})

        assert ["/draft/steps/1/key"] == [one["pointer"] for one in refused.json()["errors"]]
        assert ["/dryRun"] == [one["pointer"] for one in unsafe.json()["errors"]]


async def test_every_trigger_and_step_is_listed_with_its_paths(autojump_clock):
    """And every event that a step may wait for."""
    async with tool_town() as here:
        answer = await here.answer("workflow.trigger_list")
        [filed] = [one for one in answer["triggers"] if one["type"] == "submitted a form"]
        paths = {one["path"]: (one["type"], one["objectType"]) for one in filed["paths"]}
        made = {one["type"]: [path["path"] for path in one["makes"]] for one in answer["steps"]}

        assert ("relation", "contact") == paths["record.id"]
        assert (None, None) == paths["submission.fields"]
        assert ["recordId"] == made["create_deal"]
        assert ["deliveryId", "state", "statusCode", "answer"] == made["call_webhook"]
        assert "message.received" in {one["type"] for one in answer["events"]}
        assert None is answer["draft"]
