"""The lists of tools: what is in them for whom, and in which order."""

import json
from typing import Any

import msgspec
import pytest
from mcp_types import ListToolsResult

from svc.domain.identity.callers import Caller
from svc.domain.identity.roles import PERMISSIONS
from svc.http.mcp import descriptors
from svc.http.mcp.descriptors import FlatList, Page, annotations_of, entries
from svc.http.mcp.rpc import RpcError
from svc.tools.catalogue import REGISTRY
from tests.http.tools.sample_tools import GONE_AT, SAMPLES
from tests.mcp.asking import NEWEST, mcp_town
from tests.town import START

TOKENS_MAX = 1_500
BYTES_OF_A_TOKEN = 4


def a_key(**changes: Any) -> Caller:
    known: dict[str, Any] = {"organization_id": "org_1", "kind": "key", "id": "key_1", "person_id": "usr_1"}
    return Caller(**(known | {"permissions": PERMISSIONS} | changes))


def names_of(page: Page) -> list[str]:
    return [one["name"] for one in msgspec.json.decode(page.tools)]


def test_three_entries_lead_to_all_tools():
    """In under 1,500 tokens, whatever the number of tools."""
    page = entries(REGISTRY)

    assert ["tool_search", "tool_describe", "tool_call"] == names_of(page)
    assert len(page.tools) / BYTES_OF_A_TOKEN < TOKENS_MAX


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("version", [None, "2025-06-18", "2025-11-25", NEWEST])
async def test_lists_are_what_the_official_types_say(full, version, autojump_clock):
    """In every version, and twice the same to the byte."""
    async with mcp_town() as here:
        first, second = [await here.ask("tools/list", full=full, version=version) for _ in range(2)]

        result = first.json()["result"]
        assert first.content == second.content
        assert {"tools"} == set(result) - {"resultType", "ttlMs", "cacheScope", "_meta"}
        assert (version == NEWEST) == ("ttlMs" in result)
        for tool in ListToolsResult.model_validate(result).tools:
            assert {"object"} == {
                tool.input_schema["type"],
                tool.output_schema["type"] if tool.output_schema else "object",
            }
            assert tool.description
            assert tool.title


async def test_the_flat_list_has_what_the_key_may_call(autojump_clock):
    """By its role, by the tools that it is narrowed to, and never what needs a person."""
    async with mcp_town() as here:
        keys = {
            "all": here.key,
            "viewer": await here.mint(role_id="viewer"),
            "narrow": await here.mint(tools=("record.get",)),
        }
        seen = {
            name: {one["name"] for one in (await here.result("tools/list", key=key, full=True))["tools"]}
            for name, key in keys.items()
        }

        open_tools = {one.wire_name for one in REGISTRY.values() if one.runs == "open"}
        assert open_tools == seen["all"]
        assert {"record_get", "tool_search", "tool_describe", "caller_get"} == seen["narrow"]
        assert "record_create" not in seen["viewer"]
        assert seen["viewer"] < seen["all"]


def test_a_list_is_read_page_by_page(monkeypatch):
    """In the order of the names, each tool once."""
    monkeypatch.setattr(descriptors, "PAGE_TOOLS", 2)
    tools = FlatList(REGISTRY)
    page = tools.page(a_key(), None, START)
    seen = names_of(page)
    while page.next_cursor is not None:
        page = tools.page(a_key(), page.next_cursor, START)
        assert len(names_of(page)) <= 2
        seen += names_of(page)

    assert [one.wire_name for one in REGISTRY.values() if one.runs == "open"] == seen


def test_old_names_are_listed_until_they_end():
    """Each says what to call instead; from the day after its sunset it is not there, whatever was kept."""
    tools = FlatList(SAMPLES)
    pages = [tools.page(a_key(), None, at) for at in (GONE_AT - 1, GONE_AT, GONE_AT - 1)]

    assert [True, False, True] == ["automation_list" in names_of(page) for page in pages]
    [old] = [one for one in msgspec.json.decode(pages[0].tools) if one["name"] == "automation_list"]
    assert old["description"].startswith("Deprecated: call `workflow.list`")
    assert len(tools.names(a_key(), GONE_AT)) == len(tools.names(a_key(), START)) - 1


@pytest.mark.parametrize("cursor", ["", "x", "é", "bm9fc3VjaF90b29s", "=", "a" * 10_000])
def test_what_is_no_cursor_is_refused(cursor):
    """It does not start the list anew."""
    with pytest.raises(RpcError):
        FlatList(REGISTRY).page(a_key(), cursor, START)


def test_lists_are_kept_for_few_kinds_names_by_kind(monkeypatch):
    """However many there are, the lists are right, and no more are kept than may be."""
    monkeypatch.setattr(descriptors, "_CALLERS_MAX", 2)
    tools = FlatList(REGISTRY)
    for _ in range(2):
        for name in ("record.get", "record.create", "tool.search"):
            only = names_of(tools.page(a_key(tools=frozenset({name})), None, START))

            assert {name.replace(".", "_"), "tool_search", "tool_describe", "caller_get"} == set(only)
    assert 2 >= len(tools._names_by_kind)


def test_hints_follow_from_effect_and_verb():
    """What reads destroys nothing; what adds does it again; the rest may overwrite, to the same end."""
    hints = {name: annotations_of(one) for name, one in REGISTRY.items()}

    assert {True} == {hint.read_only_hint for name, hint in hints.items() if REGISTRY[name].effect == "reads"}
    made = hints["record.create"]
    assert (False, False, False) == (made.read_only_hint, made.destructive_hint, made.idempotent_hint)
    for name, hint in hints.items():
        assert not (hint.read_only_hint and hint.destructive_hint)
        if name.endswith((".update", ".delete", ".remove", ".merge", ".revoke")):
            assert (True, True) == (hint.destructive_hint, hint.idempotent_hint)


def test_schemas_are_whole():
    """Each refers to its own definitions alone, inputs are closed, and generated titles are left out."""
    for name, schemas in REGISTRY.schemas.items():
        for schema in schemas:
            references = {part.split('"')[0] for part in json.dumps(schema).split('"$ref": "')[1:]}
            assert {f"#/$defs/{one}" for one in schema.get("$defs", {})} >= references, name
            assert "title" not in schema
        assert schemas.input["additionalProperties"] is False
