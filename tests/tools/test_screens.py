"""Where people do what tools do: each tool has the address of a screen, or a reason why there is none."""

import re
from pathlib import Path
from typing import Any, Final

import pytest

from svc.tools.catalogue import REGISTRY
from svc.tools.screens import NO_SCREEN, OF_NOUNS, OF_TOOLS, screen_of, template_of
from svc.tools.tool import Tool
from tests.tooling import tool_town

SCREENS: Final = Path(__file__).parents[2] / "screens/src"
PLACES: Final = re.findall(r'path: "([^"]+)"', (SCREENS / "places.ts").read_text())
TOOLS: Final = [tool for tool in REGISTRY.values() if tool.deprecated is None]
LOOKED_UP: Final = {"objectType"}
"""What is found out by an id, where the input need not have it."""
NOT_CALLED: Final = {
    "caller.get": NO_SCREEN["caller"],
    "event.list": NO_SCREEN["event"],
    "export.list": "an export is fetched by the button that started it, as soon as it is there",
    "note.list": "notes are in the timeline of their record",
    "record.create_many": "for programs: people import a file, or paste rows into the table",
    "record.upsert": "for programs, which do not look first: people see what is there",
    "record.upsert_many": "for programs, as one of them",
    "tool.describe": NO_SCREEN["tool"],
    "tool.search": NO_SCREEN["tool"],
}
"""Tools that no screen calls, and why."""
MADE: Final = {"contract.ts", "tool_names.ts", "tool_list.ts", "tool_examples.ts"}
"""Made of the contract: each names every tool."""


def holes(template: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", template))


def is_there(address: str) -> bool:
    """Whether a place of the screens answers at *address*, whose segments may have been left out."""
    path = address.partition("?")[0]
    return any(
        re.fullmatch(
            re.sub(r"/\\\{\w+\\\?\\\}", "(?:/[^/]+)?", re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(one))), path
        )
        for one in PLACES
    )


def given(tool: Tool[Any, Any]) -> dict[str, str]:
    """Something for each hole."""
    return dict.fromkeys(holes(template_of(tool) or ""), "some_1")


def test_every_tool_has_a_screen_or_a_reason() -> None:
    """And no noun or tool is listed that is not there."""
    nouns = {tool.noun for tool in TOOLS}

    assert nouns == {*OF_NOUNS, *NO_SCREEN}
    assert not {*OF_NOUNS} & {*NO_SCREEN}
    assert {*OF_TOOLS} <= {tool.name for tool in TOOLS}
    assert all(NO_SCREEN.values())


@pytest.mark.parametrize(
    "tool", [tool for tool in TOOLS if template_of(tool)], ids=lambda tool: str(tool.name)
)
def test_the_address_is_there(tool: Tool[Any, Any]) -> None:
    """With all that the input may name, and with nothing."""
    for address in (screen_of(tool, given(tool)), screen_of(tool, {})):
        assert address is not None
        assert is_there(address), address


@pytest.mark.parametrize(
    "tool", [tool for tool in TOOLS if tool.runs != "open"], ids=lambda tool: str(tool.name)
)
def test_what_sends_a_person_names_the_very_thing(tool: Tool[Any, Any]) -> None:
    """The holes of its address are members of its input."""
    template = template_of(tool)
    members = {tool.request_type.wire_name(name) for name in tool.request_type.__struct_fields__}

    assert template is not None
    if "{id}" in template and "id" not in members:
        pytest.fail(f"{tool.name} has no id, so its address is that of a list: give it one of its own")
    assert holes(template) <= members | LOOKED_UP


def test_every_tool_is_reached_by_a_screen_or_has_a_reason() -> None:
    """A screen calls it by its name."""
    sources = "".join(path.read_text() for path in SCREENS.rglob("*.ts*") if path.name not in MADE)
    not_called = {tool.name for tool in TOOLS if f'"{tool.name}"' not in sources}

    assert {*NOT_CALLED} == not_called


def test_an_address_is_filled_with_ids_and_slugs_alone() -> None:
    """What somebody made up could lead elsewhere; then the address is that of the list."""
    form = REGISTRY["form.remove"]

    assert "/app/forms/frm_1" == screen_of(form, {"id": "frm_1"})
    for odd in ("../../x", "a/b", "", 1, None, ["frm_1"], "x" * 65, "é", "a?b"):
        assert "/app/forms" == screen_of(form, {"id": odd})
    assert "/app/" == screen_of(REGISTRY["record.delete"], {"id": "rec_1"})
    assert "/app/settings/sites?edit=sit_1" == screen_of(REGISTRY["site.remove"], {"id": "sit_1"})
    assert "/app/settings/sites" == screen_of(REGISTRY["site.remove"], {})


async def test_a_refused_key_is_told_the_screen(autojump_clock):
    """Of a record without its object, too; with the organization where it is not the person's home."""
    async with tool_town() as here:
        made = await here.answer("record.create", {"objectType": "contact", "properties": {"name": "Ada"}})
        viewer = await here.mint(tools=("apikey.list", "record.delete"))
        told = [
            (await here.call(tool, body, key=key)).json()
            for tool, body, key in (
                ("record.delete", {"id": made["id"]}, None),
                ("record.delete", {"id": "rec_1"}, None),
                ("record.delete", {"id": made["id"]}, viewer),
                ("apikey.revoke", {"id": "key_1"}, None),
                ("apikey.mint", None, None),
                ("form.list", {"odd": 1}, None),
            )
        ]
        broken = await here.client.post(
            "/api/v1/tools/apikey.revoke", content=b"{", headers={"authorization": f"Bearer {here.key}"}
        )

        assert [
            ("approval_required", f"/app/records/contact/{made['id']}"),
            ("approval_required", "/app/"),
            ("approval_required", f"/app/records/contact/{made['id']}"),
            ("person_only", "/app/settings/api-keys/key_1"),
            ("person_only", "/app/settings/api-keys?new=1"),
            ("validation_failed", None),
        ] == [(one["code"], one.get("screen")) for one in told]
        assert (403, "/app/settings/api-keys") == (broken.status_code, broken.json()["screen"])


async def test_a_person_who_has_to_confirm_is_told_the_screen(autojump_clock):
    """Also where a tool refuses one member alone: of a webhook, its address."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        here.clock.jump(3 * 3_600_000)
        stale = await here.call_as_person("apikey.mint", {"name": "x"}, csrf=csrf)
        part = await here.call("webhook.update", {"id": "whk_1", "url": "https://example.com/"})

        assert ("confirmation_required", "/app/settings/api-keys?new=1") == (
            stale.json()["code"],
            stale.json()["screen"],
        )
        assert ("person_only", "/app/settings/webhooks/whk_1") == (part.json()["code"], part.json()["screen"])
