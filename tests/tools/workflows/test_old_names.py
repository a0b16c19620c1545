"""`automation.*`: the twelve former names of the tools of workflows."""

from svc.tools.catalogue import REGISTRY
from tests.tooling import tool_town

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
