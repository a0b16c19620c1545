"""`workflow.run`: by hand, dry, and again where a run failed."""

from typing import Any

import trio
from sqlalchemy import func, select

from svc.storage.identity import roles
from svc.storage.metadata import metadata
from tests.people import call_of
from tests.tooling import ToolTown, tool_town
from tests.workflows import NOTE, a_document, contact, enabled, outputs, runs_of, states

BRANCH = {
    "key": "big",
    "type": "branch",
    "conditions": [{"property": "city", "op": "eq", "value": "Leeds"}],
    "then": [{"key": "title", "type": "update_record", "properties": {"job_title": "Lead"}}],
    "else": [NOTE],
}
EVERYTHING = (
    {"key": "deal", "type": "create_deal", "name": "Lamp for {{record.name}}"},
    {"key": "more", "type": "add_note", "record": "{{steps.deal.recordId}}", "body": "{{record.city}}"},
    BRANCH,
    {"key": "pause", "type": "wait", "seconds": 31_536_000},
    {"key": "heard", "type": "wait", "event": "record.updated", "seconds": 60},
    {"key": "end", "type": "stop", "reason": "for {{record.name}}"},
)


async def test_a_workflow_is_run_by_hand_with_a_record(autojump_clock):
    """As its enabler; its conditions are not judged."""
    async with tool_town() as here:
        conditions = [{"property": "city", "op": "eq", "value": "Rome"}]
        id_ = await enabled(here, BRANCH, conditions=conditions)
        record = await contact(here, city="Leeds")
        started = await here.answer("workflow.run", {"id": id_, "recordId": record})
        await trio.sleep(1)
        [run] = await runs_of(here)
        shown = await here.answer("record.get", {"id": record})

        assert ("running", [], None) == (started["state"], started["steps"], started["whyNot"])
        assert (started["id"], "done") == (run["id"], run["state"])
        assert {"big": "done", "title": "done"} == states(run)
        assert "Lead" == shown["properties"]["job_title"]


async def test_a_dry_run_shows_every_step_and_leaves_nothing(autojump_clock):
    """Not a row, not an announcement; what it waits for is passed over."""
    async with tool_town() as here:
        made = await here.answer("workflow.create", a_document(*EVERYTHING))
        record = await contact(here, city="Leeds")
        await trio.sleep(2)
        before = await _counts(here)
        tried = await here.answer("workflow.run", {"id": made["id"], "recordId": record, "dryRun": True})
        after = await _counts(here)
        await trio.sleep(2)

        assert ("done", "for Ada", True) == (tried["state"], tried["reason"], tried["dryRun"])
        assert dict.fromkeys(("deal", "more", "big", "title", "pause", "heard", "end"), "done") == states(
            tried
        )
        assert "Lamp for Ada" == tried["steps"][0]["input"]["name"]
        assert "Leeds" == tried["steps"][1]["input"]["body"]
        assert {"taken": "then"} == outputs(tried)["big"]
        assert {"event": None} == outputs(tried)["heard"]
        assert before | {"audit": before["audit"] + 1} == after
        assert [] == await runs_of(here)


async def test_a_dry_run_acts_as_its_caller(autojump_clock):
    """It does nothing that its caller may not, whoever has enabled it."""
    async with tool_town() as here:
        id_ = await enabled(here)
        record = await contact(here)
        call = call_of(here.owner, here.organization.id)
        role = await here.store.write(roles.create, call, "Some", ("workflows", "records.read"))
        key = await here.mint(role_id=role.id)
        tried = await here.answer("workflow.run", {"id": id_, "recordId": record, "dryRun": True}, key=key)

        assert ("failed", "forbidden") == (tried["state"], tried["reason"])


async def test_a_dry_run_says_why_an_event_starts_nothing(autojump_clock):
    """Each condition that does not hold, and that it is disabled."""
    async with tool_town() as here:
        conditions = [
            {"property": "city", "op": "eq", "value": "Leeds"},
            {"property": "name", "op": "eq", "value": "Ada"},
        ]
        made = await here.answer("workflow.create", a_document(conditions=conditions))
        await contact(here, city="Rome")
        await trio.sleep(2)
        [event] = [row.id for row in await here.rows(metadata.tables["events"], type="record.created")]
        asked = {"id": made["id"], "eventId": event, "dryRun": True}
        disabled = await here.answer("workflow.run", asked)
        await here.answer("workflow.enable", {"id": made["id"]})
        before = await here.answer("workflow.run", asked)

        assert ["the workflow is disabled", "/conditions/0 does not hold: city eq"] == disabled["whyNot"]
        assert "the workflow was enabled after it, at 2026-09-18T00:00:02.000Z" == before["whyNot"][0]
        assert "done" == disabled["state"]


async def test_a_run_by_hand_needs_what_its_trigger_gives(autojump_clock):
    """Each fault with its pointer."""
    async with tool_town() as here:
        id_ = await enabled(here)
        company = await here.answer("record.create", {"objectType": "company", "properties": {"name": "L"}})
        record = await contact(here)
        for asked, pointer in (
            ({}, "/id"),
            ({"id": id_}, "/recordId"),
            ({"id": id_, "recordId": company["id"]}, "/recordId"),
            ({"id": id_, "recordId": "rec_1"}, "/recordId"),
            ({"id": id_, "eventId": "evt_1"}, "/eventId"),
            ({"id": id_, "recordId": record, "retryOf": "run_1"}, "/id"),
            ({"retryOf": "run_1"}, "/retryOf"),
        ):
            refused = await here.call("workflow.run", asked)
            assert (422, pointer) == (refused.status_code, refused.json()["errors"][0]["pointer"]), asked
        missing = await here.call("workflow.run", {"id": "wfl_1", "recordId": record})
        await here.answer("workflow.disable", {"id": id_})
        disabled = await here.call("workflow.run", {"id": id_, "recordId": record})

        assert (404, 409) == (missing.status_code, disabled.status_code)


async def test_a_failed_run_goes_on_at_the_step_that_failed(autojump_clock):
    """With what the steps before it have made, which are not done again."""
    async with tool_town() as here:
        company = await here.answer("record.create", {"objectType": "company", "properties": {"name": "L"}})
        deal = {"key": "deal", "type": "create_deal", "name": "Lamp"}
        broken = {"key": "wrong", "type": "add_note", "record": company["id"], "body": "B"}
        last = {"key": "more", "type": "add_note", "record": "{{steps.deal.recordId}}", "body": "M"}
        await enabled(here, deal, broken, last)
        await here.answer_to_person("record.delete", {"id": company["id"]}, csrf=await here.sign_in())
        await contact(here)
        await trio.sleep(2)
        [failed] = await runs_of(here)
        await here.answer("record.restore", {"id": company["id"]})
        again = await here.answer("workflow.run", {"retryOf": failed["id"]})
        await trio.sleep(2)
        _, run = await runs_of(here)
        twice = await here.call("workflow.run", {"retryOf": run["id"]})
        deals = await here.answer("record.list", {"objectType": "deal"})

        assert ("failed", "refused", {"deal": "done", "wrong": "failed"}) == (
            failed["state"],
            failed["reason"],
            states(failed),
        )
        assert "not_found" == failed["steps"][1]["error"]["code"]
        assert (["deal"], 1) == ([step["key"] for step in again["steps"]], again["depth"])
        assert ("done", {"deal": "done", "wrong": "done", "more": "done"}) == (run["state"], states(run))
        assert 1 == len(deals["records"])
        assert 409 == twice.status_code


async def test_a_run_is_cancelled_once(autojump_clock):
    """Before its next step."""
    async with tool_town() as here:
        await enabled(here, {"key": "pause", "type": "wait", "seconds": 60}, NOTE)
        await contact(here)
        await trio.sleep(2)
        [run] = await runs_of(here, state="waiting")
        cancelled = await here.answer("workflow.run_cancel", {"id": run["id"]})
        await trio.sleep(60)
        again = await here.call("workflow.run_cancel", {"id": run["id"]})

        assert ("cancelled", None) == (cancelled["state"], cancelled["wakeAt"])
        assert {"pause": "cancelled"} == states((await runs_of(here))[0])
        assert 409 == again.status_code
        assert 404 == (await here.call("workflow.run_get", {"id": "run_1"})).status_code


async def test_runs_are_listed_in_pages(autojump_clock):
    """The newest first, by workflow, by state, or both."""
    async with tool_town() as here:
        id_ = await enabled(here)
        other = await enabled(here, {"key": "pause", "type": "wait", "seconds": 60})
        for name in ("Ada", "Mary", "Hedy"):
            await contact(here, name=name)
        await trio.sleep(3)
        pages = [await here.answer("workflow.run_list", {"workflowId": id_, "limit": 2})]
        asked = {"workflowId": id_, "limit": 2, "cursor": pages[0]["nextCursor"]}
        pages.append(await here.answer("workflow.run_list", asked))
        waiting = await here.answer("workflow.run_list", {"state": "waiting"})
        neither = await here.answer("workflow.run_list", {"workflowId": other, "state": "done"})

        assert [2, 1] == [len(page["runs"]) for page in pages]
        ids = [run["id"] for page in pages for run in page["runs"]]
        assert sorted(ids, reverse=True) == ids
        assert [other] * 3 == [run["workflowId"] for run in waiting["runs"]]
        assert [] == neither["runs"]


async def _counts(here: ToolTown) -> dict[str, int]:
    def counted(view: Any) -> dict[str, int]:
        return {
            table.name: view.execute(select(func.count()).select_from(table)).scalar_one()
            for table in metadata.sorted_tables
        }

    return await here.store.read(counted)


async def test_steps_are_shown_to_callers_who_may_see_records(autojump_clock):
    """To others a run says how far it is, and nothing of what it was given or made."""
    async with tool_town() as here:
        await enabled(here)
        await contact(here)
        await trio.sleep(1)
        [run] = await runs_of(here)
        call = call_of(here.owner, here.organization.id)
        role = await here.store.write(roles.create, call, "Flows", ("workflows",))
        key = await here.mint(role_id=role.id)

        [step] = (await here.answer("workflow.run_get", {"id": run["id"]}, key=key))["steps"]

        assert "Hello Ada" == run["steps"][0]["input"]["body"]
        assert ("note", "done", None, None) == (step["key"], step["state"], step["input"], step["output"])
