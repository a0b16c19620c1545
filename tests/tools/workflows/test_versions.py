"""Versions of workflows: who saved which, and runs that go on with another."""

import trio

from svc.domain.workflows.limits import WORKFLOW_VERSIONS_MAX
from tests.tooling import ToolTown, tool_town
from tests.workflows import NOTE, a_document, contact, enabled, runs_of, states

WRONG = {"key": "mail", "type": "update_record", "properties": {"email": "{{record.city}}"}}
RIGHT = {"key": "mail", "type": "update_record", "properties": {"city": "York"}}


async def _failed(here: ToolTown) -> tuple[str, str]:
    """A workflow, and its run that failed at its second step."""
    id_ = await enabled(here, NOTE, WRONG)
    await contact(here, city="no address")
    await trio.sleep(2)
    [run] = await runs_of(here)
    assert {"note": "done", "mail": "failed"} == states(run)
    return id_, run["id"]


async def test_a_version_says_who_saved_it_and_can_be_looked_at(autojump_clock):
    """The newest first; each has its whole document."""
    async with tool_town() as here:
        made = await here.answer("workflow.create", a_document())
        await here.answer("workflow.update", {"id": made["id"], "version": 1, "name": "Welcome"})
        now = await here.answer("workflow.get", {"id": made["id"]})
        first = await here.answer("workflow.get", {"id": made["id"], "version": 1})
        missing = await here.call("workflow.get", {"id": made["id"], "version": 3})

        assert [2, 1] == [one["version"] for one in now["versions"]]
        assert ("key", here.owner.id) == (now["versions"][0]["callerKind"], now["versions"][0]["personId"])
        assert ("Welcome", 2) == (now["name"], now["version"])
        assert ("Greet", 1) == (first["name"], first["version"])
        assert 404 == missing.status_code


async def test_the_latest_versions_are_kept_and_those_that_runs_have(autojump_clock):
    """Whatever is older is deleted with the next one."""
    async with tool_town() as here:
        id_ = await enabled(here)
        await contact(here)
        await trio.sleep(2)
        for version in range(1, WORKFLOW_VERSIONS_MAX + 3):
            await here.answer("workflow.update", {"id": id_, "version": version, "name": f"Name {version}"})
        shown = await here.answer("workflow.get", {"id": id_})
        first = await here.call("workflow.get", {"id": id_, "version": 1})
        gone = await here.call("workflow.get", {"id": id_, "version": 2})

        assert WORKFLOW_VERSIONS_MAX == len(shown["versions"])
        assert (200, 404) == (first.status_code, gone.status_code)


async def test_a_failed_run_goes_on_with_the_newest_version(autojump_clock):
    """With what its earlier steps have made: they are not taken again."""
    async with tool_town() as here:
        id_, run_id = await _failed(here)
        await here.answer("workflow.update", {"id": id_, "version": 1, "steps": [NOTE, RIGHT]})
        same = await here.answer("workflow.run", {"retryOf": run_id})
        again = await here.answer("workflow.run", {"retryOf": run_id, "version": "newest"})
        await trio.sleep(2)
        runs = {run["id"]: run for run in await runs_of(here)}

        assert ("failed", 1) == (runs[same["id"]]["state"], runs[same["id"]]["version"])
        assert ("done", 2) == (runs[again["id"]]["state"], runs[again["id"]]["version"])
        assert runs[run_id]["steps"][0] == runs[again["id"]]["steps"][0]


async def test_an_ended_run_goes_on_from_a_step_that_is_named(autojump_clock):
    """One that is not in that version is refused with those that are near."""
    async with tool_town() as here:
        id_, run_id = await _failed(here)
        first = await here.answer("workflow.run", {"retryOf": run_id, "fromStep": "note"})
        steps = [NOTE | {"key": "hello"}, RIGHT]
        await here.answer("workflow.update", {"id": id_, "version": 1, "steps": steps})
        gone = {"retryOf": run_id, "version": "newest", "fromStep": "note"}
        refused = await here.call("workflow.run", gone)
        await here.answer("workflow.disable", {"id": id_})
        disabled = await here.call("workflow.run", gone | {"fromStep": "mail"})

        assert [] == first["steps"]
        assert [("/fromStep", "not_found")] == [
            (one["pointer"], one["code"]) for one in refused.json()["errors"]
        ]
        assert (422, 409) == (refused.status_code, disabled.status_code)


async def test_a_list_tells_how_the_last_runs_went(autojump_clock):
    """The newest first."""
    async with tool_town() as here:
        _, run_id = await _failed(here)
        [line] = (await here.answer("workflow.list"))["workflows"]

        assert [(run_id, "failed")] == [(run["id"], run["state"]) for run in line["lastRuns"]]
