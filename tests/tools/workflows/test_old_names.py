"""`automation.*`: the twelve former names of the tools of workflows."""

import pytest

from svc.tools.catalogue import REGISTRY
from tests import tables
from tests.tooling import tool_town

ADD_NOTE = {"key": "hello", "type": "add_note", "body": "Hello"}
VERBS = (
    "create",
    "delete",
    "disable",
    "enable",
    "get",
    "list",
    "run",
    "run_cancel",
    "run_get",
    "run_list",
    "trigger_list",
    "update",
)


def test_every_tool_of_workflows_has_its_former_name() -> None:
    """Twelve of them, each of which names its replacement."""
    former = {name: tool.deprecated for name, tool in REGISTRY.items() if tool.noun == "automation"}

    assert [f"workflow.{verb}" for verb in VERBS] == [
        name for name in REGISTRY if name.startswith("workflow.")
    ]
    assert {f"automation.{verb}": f"workflow.{verb}" for verb in VERBS} == {
        name: None if deprecated is None else deprecated.replacement for name, deprecated in former.items()
    }


async def test_a_former_name_does_what_the_tool_does_and_says_until_when(autojump_clock):
    """With the headers of deprecated names."""
    async with tool_town() as here:
        answer = await here.call("automation.list")

        assert {"workflows": [], "nextCursor": None} == answer.json()
        assert "@1789689600" == answer.headers["deprecation"]
        assert "Wed, 17 Mar 2027 00:00:00 GMT" == answer.headers["sunset"]


@pytest.mark.parametrize("named", ["workflow.list", "automation.list"])
@pytest.mark.parametrize("called", ["workflow.list", "automation_list"])
async def test_a_key_for_a_tool_may_call_it_by_either_name(autojump_clock, named, called):
    """The old name is a spelling, and what the key shows is the name of today."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        minted = await here.answer_to_person("apikey.mint", {"name": "One", "tools": [named]}, csrf=csrf)
        answer = await here.call(called, key=minted["key"])
        refused = await here.call("workflow.get", {"id": "wfl_1"}, key=minted["key"])

        assert 200 == answer.status_code
        assert ["workflow.list"] == minted["tools"]
        assert 403 == refused.status_code


async def test_a_key_that_is_stored_with_an_old_name_may_call_the_tool(autojump_clock):
    """As keys are that were minted when the tool had no other name."""
    async with tool_town() as here:
        key = await here.mint(tools=("automation.list",))

        assert 200 == (await here.call("workflow.list", key=key)).status_code
        assert 200 == (await here.call("automation.list", key=key)).status_code


async def test_the_audit_trail_and_idempotency_know_one_name(autojump_clock):
    """A call under the other name, with the same key, is the same call."""
    async with tool_town() as here:
        document = {"name": "A", "trigger": {"type": "submitted a form"}, "steps": [ADD_NOTE]}
        first = await here.call("automation.create", document, idempotency_key="once")
        again = await here.call("workflow.create", document, idempotency_key="once")
        actions = [row.action for row in await here.rows(tables.audit, target=first.json()["id"])]

        assert (200, 200) == (first.status_code, again.status_code), first.text
        assert first.json() == again.json()
        assert ["workflow.create"] == actions
