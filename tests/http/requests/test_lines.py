"""What calls leave in the request log, at each door, on the fast path and behind Quart."""

from typing import Any

import httpx
import pytest
import trio

from svc.domain.requests.limits import REQUEST_LIFE_MS
from svc.http.request.body import ClientGone
from svc.services.tools import calls as tool_calls
from tests import tables
from tests.channels import channel_town
from tests.files import PNG, upload
from tests.mcp.asking import mcp_town
from tests.tooling import ToolTown, tool_town
from tests.town import Town

GET = {"objectType": "contact", "id": "rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA"}


async def lines(here: Town, *members: str) -> list[Any]:
    """What the log has, the oldest first: of each line these members."""
    await here.system.request_log.write()  # type: ignore[attr-defined]
    rows = await here.rows(tables.requests)
    return [tuple(getattr(row, member) for member in members) for row in rows]


async def listed(here: ToolTown, key: str | None = None, **asked: Any) -> list[Any]:
    """What `request.list` answers to the Owner's key, or another."""
    await here.system.request_log.write()
    answer = await here.answer("request.list", asked, key=key)
    requests: list[Any] = answer["requests"]
    return requests


async def test_a_call_leaves_a_line(autojump_clock):
    """With sizes, times and the key; nothing of what was sent or answered."""
    async with tool_town() as here:
        answer = await here.call("record.list", {"objectType": "contact"}, x_request_id="mine-1")
        [line] = await listed(here)

        assert {
            "door": "tools",
            "callerKind": "key",
            "keyName": "A key",
            "tool": "record.list",
            "status": 200,
            "code": None,
            "requestId": "mine-1",
            "bytesIn": len(answer.request.content),
            "bytesOut": len(answer.content),
            "replayed": False,
        }.items() <= line.items()
        assert 0 <= line["milliseconds"] < 60_000
        assert line["id"].startswith("req_")


async def test_refusals_are_logged_with_their_code(autojump_clock):
    """Under the name of the tool where there is one; a name that was made up could be anything."""
    async with tool_town() as here:
        await here.call("record.get", GET)
        await here.call("ada@example.com")
        await here.call("apikey.mint", {"name": "x"})
        await here.call("record.get", {"objectType": 1})
        await here.client.get("/api/v1/tools/record.get", headers={"authorization": f"Bearer {here.key}"})

        assert [
            ("record.get", 404, "not_found"),
            (None, 404, "unknown_tool"),
            ("apikey.mint", 403, "person_only"),
            ("record.get", 422, "validation_failed"),
            ("record.get", 405, "method_not_allowed"),
        ] == await lines(here, "tool", "status", "code")


async def test_a_repeat_is_told(autojump_clock):
    """As `Idempotent-Replayed` is."""
    asked = {"objectType": "contact", "properties": {"name": "Ada"}}
    async with tool_town() as here:
        for _ in range(2):
            await here.call("record.create", asked, idempotency_key="once")

        assert [(False,), (True,)] == await lines(here, "replayed")


async def test_what_no_key_calls_is_not_logged(autojump_clock):
    """People, wrong keys, pages and forms."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        await here.answer_to_person("record.list", {"objectType": "contact"}, csrf=csrf)
        await here.call("record.list", key="svck_unknown")
        await here.client.get("/docs/")
        await here.client.post("/api/f/s", json={"f": "svcf_x", "v": {}})

        assert [] == await lines(here, "tool")


async def test_mcp_is_logged_by_method_and_tool(autojump_clock):
    """A tool's problem has its code, though the answer is 200."""
    async with mcp_town() as here:
        await here.ask("tools/list")
        await here.ask(
            "tools/call", {"name": "record_list", "arguments": {"objectType": "contact"}}, full=True
        )
        await here.ask("tools/call", {"name": "record_get", "arguments": GET}, full=True)
        inner = {"name": "record_get", "arguments": GET}
        await here.ask("tools/call", {"name": "tool_call", "arguments": inner})
        await here.ask("tools/call", {"name": "no_such", "arguments": {}})
        await here.ask("no/method")
        await here.post(b"{")

        assert [
            ("mcp", "tools/list", 200, None),
            ("mcp", "record.list", 200, None),
            ("mcp", "record.get", 200, "not_found"),
            ("mcp", "record.get", 200, "not_found"),
            ("mcp", "tools/call", 200, "-32602"),
            ("mcp", None, 200, "-32601"),
            ("mcp", None, 400, "-32700"),
        ] == await lines(here, "door", "tool", "status", "code")


async def test_bridges_are_logged_by_their_channel_key(autojump_clock):
    """It is called as its connection."""
    async with channel_town() as here:
        await here.pull()
        await here.ask("channel.no_such")
        kept = await lines(here, "door", "caller_kind", "tool", "status", "code")

        assert [
            ("channels", "channel_key", "channel.outbox.pull", 200, None),
            ("channels", "channel_key", None, 404, "not_found"),
        ] == kept


async def test_files_are_logged_with_their_sizes(autojump_clock):
    """An upload and a download that is sent in parts."""
    async with tool_town() as here:
        uploaded = await upload(here.client, here.key)
        headers = {"authorization": f"Bearer {here.key}"}
        await here.client.get(f"/api/v1/files/{uploaded.json()['fileId']}", headers=headers)

        assert [
            ("files", "file.upload", 200, len(PNG), len(uploaded.content)),
            ("files", "file.get", 200, 0, len(PNG)),
        ] == await lines(here, "door", "tool", "status", "bytes_in", "bytes_out")


async def test_the_gateway_is_logged(autojump_clock):
    """By the address below its own, with its own codes."""
    async with tool_town() as here:
        key = await here.mint(limited_to="ai.gateway")
        headers = {"authorization": f"Bearer {key}"}
        await here.client.get("/api/ai/v1/models", headers=headers)
        await here.client.get("/api/ai/v1/models/none", headers=headers)
        await here.client.post("/api/ai/v1/chat/completions", headers=headers, content=b"{")

        assert [
            ("gateway", "models", 200, None),
            ("gateway", "models", 404, "model_not_found"),
            ("gateway", "chat/completions", 400, "invalid_json"),
        ] == await lines(here, "door", "tool", "status", "code")


async def test_a_client_that_leaves_is_told_apart(autojump_clock, monkeypatch):
    """There was no answer, so the log has a status that no answer has."""

    async def leave(*_: Any, **__: Any) -> None:
        raise ClientGone

    async with tool_town() as here:
        monkeypatch.setattr(tool_calls, "run", leave)
        with pytest.raises((httpx.TransportError, AssertionError, RuntimeError)):
            await here.call("record.list", {"objectType": "contact"})

        assert [("record.list", 499, "client_gone")] == await lines(here, "tool", "status", "code")


async def test_a_list_has_what_the_caller_may_see(autojump_clock):
    """All with `settings`; else the calls of the caller's own keys, whatever else is asked."""
    async with tool_town() as here:
        other = await here.member("other@example.com", "admin")
        viewers = await here.mint(other, name="Viewer's", role_id="viewer")
        await here.call("object.list", key=viewers)
        await here.call("object.list")
        [own] = await listed(here, viewers)
        everything = await listed(here)
        one = await listed(here, keyId=own["callerId"], status=200, tool="object.list")
        of_person = await listed(here, personId=other.id)
        owners = next(line["callerId"] for line in everything if line["keyName"] == "A key")
        foreign = await listed(here, viewers, keyId=owners)

        assert "Viewer's" == own["keyName"]
        assert ["A key", "Viewer's"] == [
            line["keyName"] for line in everything if line["tool"] == "object.list"
        ]
        assert [own] == one
        assert {own["callerId"]} == {line["callerId"] for line in of_person}
        assert [] == foreign


async def test_a_list_is_of_one_organization_and_of_seven_days(autojump_clock):
    """Times are those of the answers."""
    async with tool_town() as here:
        await here.call("object.list")
        here.clock.jump(60_000)
        await here.call("team.list")
        since = "2026-09-18T00:00:30Z"

        assert ["team.list"] == [line["tool"] for line in await listed(here, since=since)]
        assert ["object.list"] == [line["tool"] for line in await listed(here, until=since)]
        await here.system.request_log.write()
        here.clock.jump(REQUEST_LIFE_MS + 60_000)
        await trio.sleep(61)
        assert [] == [line["tool"] for line in await listed(here, until="2026-09-20T00:00:00Z")]
