"""`version` and `ifVersion` at the tools: what several people edit is not overwritten unseen."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from svc.domain.errors import Conflict
from svc.domain.identity.callers import operator_call
from svc.domain.locale.times import rfc3339
from svc.storage.identity import organizations
from svc.storage.identity.organizations import OrganizationChanges
from tests import tables
from tests.mcp.asking import mcp_town
from tests.tooling import ToolTown, tool_town

Make = Callable[[ToolTown], Awaitable[dict[str, Any]]]
"""Makes something, and returns what names it."""


async def a_form(here: ToolTown) -> dict[str, Any]:
    return {"id": (await here.answer("form.create", {"name": "Ask"}))["id"]}


async def an_embed(here: ToolTown) -> dict[str, Any]:
    return {"id": (await here.answer("embed.create", {"name": "Prices"}))["id"]}


async def an_object(here: ToolTown) -> dict[str, Any]:
    made = await here.answer("object.create", {"slug": "boat", "label": "Boat", "labelPlural": "Boats"})
    return {"objectType": made["slug"]}


async def a_property(here: ToolTown) -> dict[str, Any]:
    of = await an_object(here)
    made = await here.answer("property.create", of | {"slug": "mast", "label": "Mast", "type": "text"})
    return of | {"slug": made["slug"]}


async def a_role(here: ToolTown) -> dict[str, Any]:
    csrf = await here.sign_in()
    made = await here.answer_to_person("role.create", {"name": "Desk", "permissions": []}, csrf=csrf)
    return {"id": made["id"]}


async def the_organization(here: ToolTown) -> dict[str, Any]:  # as the others
    return {}


@pytest.mark.parametrize(
    ("make", "tool", "change"),
    [
        (a_form, "form.update", {"name": "Ask us"}),
        (an_embed, "embed.update", {"name": "Offers"}),
        (an_object, "object.update", {"label": "Ship"}),
        (a_property, "property.update", {"label": "Masts"}),
        (a_role, "role.update", {"name": "Front desk"}),
        (the_organization, "organization.update", {"locale": "en_GB"}),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
async def test_an_update_of_another_version_is_a_conflict(
    autojump_clock, make: Make, tool: str, change: dict[str, Any]
):
    """Without `ifVersion` it is none; each update answers the next version, an older one writes nothing."""
    async with tool_town() as here:
        named = await make(here)
        csrf = await here.sign_in()

        async def update(**more: Any) -> tuple[int, Any]:
            answer = await here.call_as_person(tool, named | change | more, csrf=csrf)
            told = answer.json()
            return answer.status_code, told.get("version", told.get("detail"))

        answers = [await update(), await update(ifVersion=2), await update(ifVersion=2), await update()]
        ahead = await update(ifVersion=9)

        assert [
            (200, 2),
            (200, 3),
            (409, "it is at version 3, not at 2: look at it again"),
            (200, 4),
        ] == answers
        assert (409, "it is at version 4, not at 9: look at it again") == ahead


@pytest.mark.parametrize(
    ("make", "noun", "versions"), [(a_form, "form", [2, 3, 3]), (an_embed, "embed", [2, 3, 4])]
)
async def test_a_pause_is_a_version(autojump_clock, make: Make, noun: str, versions: list[int]):
    """It changes what people see of it; `get` and `list` show it."""
    async with tool_town() as here:
        named = await make(here)
        paused = await here.answer(f"{noun}.pause", named)
        resumed = await here.answer(f"{noun}.resume", named)
        again = await here.answer(f"{noun}.resume", named)
        shown = await here.answer(f"{noun}.get", named)
        [listed] = (await here.answer(f"{noun}.list"))[f"{noun}s"]

        assert versions == [one["version"] for one in (paused, resumed, again)]
        assert versions[-1] == shown["version"] == listed["version"]


async def test_the_versions_of_objects_and_roles_are_shown(autojump_clock):
    """In the lists, and of each property in its object; publishing and deleting count, too."""
    async with tool_town() as here:
        named = await a_property(here)
        csrf = await here.sign_in()
        boat = {"objectType": "boat"}
        await here.answer_to_person("object.publish", boat | {"publishable": True}, csrf=csrf)
        await here.answer_to_person("property.delete", named, csrf=csrf)
        prop = {"slug": "mast", "label": "Mast", "type": "text"}
        back = await here.answer("property.create", boat | prop)
        shown = await here.answer("object.get", boat)
        listed = {one["slug"]: one for one in (await here.answer("object.list"))["objects"]}
        roles = (await here.answer("role.list"))["roles"]

        assert (2, 2, 3) == (shown["version"], listed["boat"]["version"], back["version"])
        assert [("name", 1), ("mast", 3)] == [(one["slug"], one["version"]) for one in shown["properties"]]
        assert {1} == {role["version"] for role in roles}


async def test_an_organization_that_another_changed_is_not_overwritten(autojump_clock):
    """The operator's changes are versions as well."""
    async with tool_town() as here:
        await here.store.write(organizations.update_plan, here.organization.id, plan="business")
        call = operator_call(here.organization.id)
        with pytest.raises(Conflict):
            await here.store.write(
                organizations.update, call, OrganizationChanges(name="Other"), if_version=1
            )

        assert 2 == (await here.answer("organization.get"))["version"]


async def test_a_conflict_says_what_was_changed(autojump_clock):
    """Each property with both values, and by whom and when it was changed; nothing was written."""
    async with tool_town() as here:
        made = await here.answer("record.create", {"objectType": "contact", "properties": {"name": "Ada"}})
        mine = {"id": made["id"]}
        await here.answer("record.update", mine | {"properties": {"city": "Bonn"}})
        updated = await here.answer("record.update", mine | {"properties": {"phone": "030 123456"}})
        change = {"properties": {"city": "Jena", "name": "Ada L."}, "ifVersion": 1}
        answer = await here.call("record.update", mine | change)
        problem = answer.json()
        [row, _] = await here.rows(tables.record_changes)

        assert (409, "conflict") == (answer.status_code, problem["code"])
        assert "changed since version 1: city" == problem["detail"]
        [conflict] = problem["conflicts"]
        assert conflict["changedBy"]["kind"] == "api"
        assert conflict.pop("changedBy") == msgspec.json.decode(row.source)
        assert rfc3339(row.at) == conflict.pop("changedAt")
        assert {"property": "city", "yours": "Jena", "theirs": "Bonn"} == conflict
        assert updated == await here.answer("record.get", mine)


async def test_a_model_is_told_what_was_changed(autojump_clock):
    """As text, with both values."""
    async with mcp_town() as here:
        made = await here.answer("record.create", {"objectType": "contact", "properties": {"name": "Ada"}})
        mine = {"id": made["id"]}
        await here.answer("record.update", mine | {"properties": {"city": "Bonn"}})
        change = mine | {"properties": {"city": None}, "ifVersion": 1}
        result = await here.use("record_update", change, full=True)

        [content] = result["content"]
        assert result["isError"]
        assert (
            'conflict: changed since version 1: city.\n- city: you `null`, there now `"Bonn"`'
            in content["text"]
        )
