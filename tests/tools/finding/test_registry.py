"""The registry that a call came through."""

from typing import Any

import msgspec
import pytest

from svc.domain.identity.callers import Installation, operator_call
from svc.tools import registry
from svc.tools.catalogue import REGISTRY
from svc.tools.finding import finder
from svc.tools.finding.finder import DescribeTools
from svc.tools.old_names import old_names
from svc.tools.registry import Registry, registry_of
from svc.tools.schemas import Schemas, schemas_of
from svc.tools.tool import Tool
from tests.http.tools.sample_tools import SAMPLES

CALL = operator_call("org_1")


def test_tools_about_tools_see_the_registry_of_the_door():
    """Not the catalogue, where a door serves fewer tools."""
    door = Registry([REGISTRY["record.get"]])
    names = ("record.get", "record.create")
    answer = finder.describe(
        None,
        msgspec.structs.replace(CALL, installation=Installation(registry=door)),
        DescribeTools(names=names),
    )

    assert ["record.get"] == [tool.name for tool in answer.tools]
    assert ["record.create"] == [unknown.name for unknown in answer.unknown]


def test_a_call_through_no_door_has_no_registry():
    """A door that forgets its own is a fault of the program, and said as one."""
    with pytest.raises(TypeError, match="no registry"):
        registry_of(CALL)


def test_every_renamed_tool_has_its_old_name():
    """The aliases of `workflow.*` do what those do, are what those are, and name them."""
    tools = [tool for tool in SAMPLES.values() if tool.deprecated is None]
    aliases = {tool.name: tool for tool in old_names(tools)}

    assert ["automation.delete", "automation.list", "automation.update"] == sorted(aliases)
    for name, alias in aliases.items():
        tool = SAMPLES[name.replace("automation", "workflow")]
        assert alias.deprecated is not None
        assert (tool.name, 1_805_328_000_000) == (
            alias.deprecated.replacement,
            alias.deprecated.times.gone_at,
        )
        for same in ("effect", "needs", "own", "runs", "raises", "shows_secret", "description", "example"):
            assert getattr(tool, same) == getattr(alias, same)


def test_the_catalogue_has_an_old_name_for_each_workflow_tool():
    """And no other old names."""
    verbs = {
        noun: {name.partition(".")[2] for name in REGISTRY if name.startswith(f"{noun}.")}
        for noun in ("workflow", "automation")
    }

    assert verbs["workflow"] == verbs["automation"]
    assert all(REGISTRY[f"automation.{verb}"].deprecated for verb in verbs["automation"])


def test_schemas_are_made_when_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each once: a service that no client asks for a list needs two of two hundred."""
    made: list[str] = []

    def note(tool: Tool[Any, Any]) -> Schemas:
        made.append(tool.name)
        return schemas_of(tool)

    monkeypatch.setattr(registry, "schemas_of", note)
    door = Registry(REGISTRY.values())
    assert list(REGISTRY) == list(door.schemas)
    assert len(REGISTRY) == len(door.schemas)
    assert [] == made
    first, again = (door.schemas["record.get"] for _ in range(2))

    assert ["record.get"] == made
    assert schemas_of(REGISTRY["record.get"]) == first == again
