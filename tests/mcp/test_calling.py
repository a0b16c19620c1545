"""Calling tools by MCP: results, and errors of tools."""

from typing import Any

import msgspec

from tests import tables
from tests.mcp.asking import NEWEST, mcp_town

ADA = {"objectType": "contact", "properties": {"name": "Ada", "email": "ada@example.com"}}


def through(name: str, arguments: Any = None) -> dict[str, Any]:
    """A call by the entry that calls all tools."""
    return {"name": name} | ({} if arguments is None else {"arguments": arguments})


async def test_a_tool_is_called(autojump_clock):
    """Its answer is there as it is, and the same JSON as text; at both addresses, by either name."""
    async with mcp_town() as here:
        made = await here.use("tool_call", through("record.create", ADA))
        record = made["structuredContent"]
        wanted = {"objectType": "contact", "id": record["id"]}
        shown = [
            await here.use("tool_call", through("record_get", wanted)),
            await here.use("record_get", wanted),
            await here.use("record_get", wanted, full=True),
            await here.use("record.get", wanted, full=True),
        ]

        assert ADA["properties"] == record["properties"]
        assert [record] * 4 == [one["structuredContent"] for one in shown]
        assert [False] * 4 == [one["isError"] for one in shown]
        for one in (made, *shown):
            [content] = one["content"]
            assert ("text", one["structuredContent"]) == (
                content["type"],
                msgspec.json.decode(content["text"]),
            )


async def test_null_arguments_are_none(autojump_clock):
    """As in the official SDK's types, whose arguments and `_meta` may be null; by the entry as well."""
    async with mcp_town() as here:
        null = {"name": "organization.get", "arguments": None, "_meta": None}
        by_name = await here.result("tools/call", null)
        by_entry = await here.use("tool_call", {"name": "organization.get", "arguments": None})
        nameless = await here.result("tools/call", {"name": "tool_call", "arguments": None})

        assert [False, False, True] == [one["isError"] for one in (by_name, by_entry, nameless)]
        assert by_name["structuredContent"] == by_entry["structuredContent"]
        assert "- /name: is required: a string" in nameless["content"][0]["text"]


async def test_the_newest_version_marks_its_results(autojump_clock):
    """As complete, and with the server's name."""
    async with mcp_town() as here:
        made = await here.use("record_create", ADA, full=True, version=NEWEST)
        refused = await here.use("record_create", {}, full=True, version=NEWEST)
        unknown = await here.ask("tools/call", {"name": "no_such_tool"}, full=True, version=NEWEST)

        assert ["complete"] * 2 == [one["resultType"] for one in (made, refused)]
        assert "svc" == made["_meta"]["io.modelcontextprotocol/serverInfo"]["name"]
        assert (400, -32602) == (unknown.status_code, unknown.json()["error"]["code"])


async def test_bad_arguments_say_what_to_change(autojump_clock):
    """As a result that a model reads, without structured content."""
    async with mcp_town() as here:
        refused = await here.use("tool_call", through("record_create", ADA | {"more": 1}))
        shape = await here.use("tool_call", through("record_create", [1]))
        nameless = await here.use("tool_call", {"arguments": {}})

        assert (
            "validation_failed: the arguments do not fit record_create.\n"
            "- /more: is not known here; there are `objectType`, `properties`\nMend them and call it again."
        ) == refused["content"][0]["text"]
        for one in (refused, shape, nameless):
            assert (True, False) == (one["isError"], "structuredContent" in one)
        assert "tool_call" in nameless["content"][0]["text"]


async def test_an_error_of_a_tool_says_why(autojump_clock):
    """By the code that it has at every door; the audit trail has it under the door's name."""
    async with mcp_town() as here:
        key = await here.mint(role_id="viewer")
        forbidden = await here.use("record_create", ADA, key=key, full=True)
        missing = await here.use("record_get", {"objectType": "contact", "id": "rec_1"})
        [refused] = await here.rows(tables.audit, outcome="refused")

        assert [True, True] == [one["isError"] for one in (forbidden, missing)]
        assert forbidden["content"][0]["text"].startswith(
            "forbidden: record.create needs the permission records.write."
        )
        assert missing["content"][0]["text"].startswith("not_found: ")
        assert ("record.create", "mcp", "forbidden") == (refused.action, refused.door, refused.reason)


async def test_what_was_meant_is_asked_without_a_full_stop(autojump_clock):
    """A question ends with its own mark, and what to do follows it."""
    async with mcp_town() as here:
        refused = await here.use("record_get", {"objectType": "contacts", "id": "rec_1"}, full=True)

        text = refused["content"][0]["text"]
        assert text.startswith("not_found: ")
        assert "did you mean `contact`? There are `contact`, `company`, `deal`. Check the ids" in text


async def test_a_write_is_in_the_trail(autojump_clock):
    """With the door that it came through, and the request's id."""
    async with mcp_town() as here:
        params = {"name": "record_create", "arguments": ADA}
        answer = await here.ask("tools/call", params)
        [written] = await here.rows(tables.audit, action="record.create")

        made = answer.json()["result"]["structuredContent"]
        assert ("mcp", made["id"], answer.headers["x-request-id"]) == (
            written.door,
            written.target,
            written.request_id,
        )


async def test_the_nearest_names_are_suggested(autojump_clock):
    """A result with an error through `tool_call`; an error where the request itself has the name."""
    async with mcp_town() as here:
        by_entry = await here.use("tool_call", through("record_craete", ADA))
        by_name = await here.ask("tools/call", {"name": "record_craete"}, full=True)
        far = await here.use("tool_call", through("q" * 300))

        assert by_entry["isError"]
        assert "the nearest are record.create" in by_entry["content"][0]["text"]
        assert "the nearest are record.create" in by_name.json()["error"]["message"]
        assert "look for one with tool_search" in far["content"][0]["text"]


async def test_a_repeated_write_is_done_once(autojump_clock):
    """Under the idempotency key in its `_meta`; the result and a header say that it was replayed."""
    async with mcp_town() as here:
        params = {"name": "record_create", "arguments": ADA, "_meta": {"svc/idempotencyKey": "k-1"}}
        answers = [await here.ask("tools/call", params, full=True) for _ in range(2)]
        newest = await here.ask("tools/call", params, full=True, version=NEWEST)
        other = await here.ask("tools/call", params | {"arguments": ADA | {"properties": {"name": "Bob"}}})

        first, second = (one.json()["result"] for one in answers)
        assert first["structuredContent"] == second["structuredContent"]
        assert ("_meta" in first, {"svc/idempotentReplayed": True}) == (False, second["_meta"])
        assert "true" == answers[1].headers["idempotent-replayed"]
        assert {"svc/idempotentReplayed", "io.modelcontextprotocol/serverInfo"} == set(
            newest.json()["result"]["_meta"]
        )
        assert other.json()["result"]["content"][0]["text"].startswith("idempotency_mismatch: ")
        assert 1 == await here.count(tables.records)


async def test_what_cannot_be_done_now_is_503(autojump_clock):
    """With the id of the request, and when to come again."""
    async with mcp_town() as here:
        async with here.full_disk(tables.records):
            answer = await here.ask("tools/call", {"name": "record_create", "arguments": ADA})

        assert (503, "5") == (answer.status_code, answer.headers["retry-after"])
        assert (1, -32000) == (answer.json()["id"], answer.json()["error"]["code"])


async def test_a_refusal_names_the_screen_with_its_address(autojump_clock):
    """The whole one, since a client shows it to somebody elsewhere; by both doors."""
    async with mcp_town() as here:
        here.system.base_url = "https://svc.example"
        arguments = {"id": "frm_1"}
        inner = {"name": "form_remove", "arguments": arguments}
        texts = [
            (await here.result("tools/call", params, full=full))["content"][0]["text"]
            for params, full in (
                ({"name": "form_remove", "arguments": arguments}, True),
                ({"name": "tool_call", "arguments": inner}, False),
            )
        ]

        assert all(text.startswith("approval_required: ") for text in texts)
        assert all(text.endswith(" https://svc.example/app/forms/frm_1") for text in texts)
