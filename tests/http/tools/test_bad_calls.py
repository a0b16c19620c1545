"""Calls that are wrong, one after the other, at every door that takes calls of tools."""

from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import pytest

from tests.mcp.asking import mcp_town
from tests.tooling import tool_town


class BadCall(NamedTuple):
    """A call, and what it is answered."""

    tool: str
    body: bytes
    status: int
    faults: list[str]


def _read(text: str) -> list[BadCall]:
    calls = []
    for paragraph in text.split("\n\n"):
        call, status, *faults = [line for line in paragraph.splitlines() if not line.startswith("#")] or [
            ""
        ] * 2
        if call:
            tool, _, body = call.partition(" ")
            calls.append(BadCall(tool, body.encode(), int(status), [one.strip() for one in faults]))
    return calls


BAD_CALLS: Final = _read((Path(__file__).parent / "bad_calls.txt").read_text())


def placed(faults: list[dict[str, Any]]) -> list[str]:
    return [f"{one['pointer']}: {one['detail']}" for one in faults]


async def test_a_problem_says_what_to_change(autojump_clock):
    """Every row of the table, by key over HTTP: the status, every fault, and the code's own page."""
    async with tool_town() as here:
        made = await here.answer("record.create", {"objectType": "contact", "properties": {"name": "Bob"}})
        wrong = []
        for tool, body, status, faults in BAD_CALLS:
            answer = await here.client.post(
                f"/api/v1/tools/{tool}",
                content=body.replace(b"{contact}", made["id"].encode()),
                headers={"authorization": f"Bearer {here.key}"}
                | ({"content-type": "application/json"} if body else {}),
            )
            told = answer.json()
            found = placed(told.get("errors", [])) or [told["detail"].replace(made["id"], "{contact}")]
            if (status, faults) != (answer.status_code, found):
                wrong.append((tool, body, answer.status_code, found))

        assert [] == wrong
        assert len(BAD_CALLS) >= 80


def _objects() -> list[tuple[str, bytes, list[str]]]:
    """The rows whose body an MCP client can send as arguments."""
    rows = []
    for tool, body, status, faults in BAD_CALLS:
        try:
            msgspec.json.decode(body, type=dict)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        if status != 404 or "there is no tool" not in faults[0]:
            rows.append((tool, body, faults))
    return rows


async def test_a_model_gets_the_same(autojump_clock):
    """Over MCP the same faults, at the same places, in a result that says it is an error."""
    async with mcp_town() as here:
        made = await here.answer("record.create", {"objectType": "contact", "properties": {"name": "Bob"}})
        wrong = []
        for tool, body, faults in _objects():
            arguments = msgspec.json.decode(body.replace(b"{contact}", made["id"].encode()))
            result = await here.use(tool.replace(".", "_"), arguments, full=True)
            text = result["content"][0]["text"].replace(made["id"], "{contact}")
            if not result["isError"] or any(one not in text for one in faults):
                wrong.append((tool, body, text))

        assert [] == wrong
        assert len(_objects()) >= 70


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
async def test_another_method_gets_the_right_one(method, autojump_clock):
    """By `Allow`, and in words."""
    async with tool_town() as here:
        answer = await here.client.request(
            method, "/api/v1/tools/record.list", headers={"authorization": f"Bearer {here.key}"}
        )

        assert (405, "POST") == (answer.status_code, answer.headers["allow"])
        assert "use POST here" == answer.json()["detail"]


async def test_no_body_is_an_empty_object(autojump_clock):
    """A tool that needs nothing answers; one that does says what; a body without a type is still rejected."""
    async with tool_town() as here:
        key = {"authorization": f"Bearer {here.key}"}
        whole = await here.client.post("/api/v1/tools/organization.get", headers=key)
        lacking = await here.client.post("/api/v1/tools/record.list", headers=key)
        untyped = await here.client.post("/api/v1/tools/organization.get", content=b"{}", headers=key)

        async def pieces() -> Any:
            yield b"{}"

        streamed = await here.client.post("/api/v1/tools/organization.get", content=pieces(), headers=key)

        assert [200, 422, 415, 415] == [one.status_code for one in (whole, lacking, untyped, streamed)]
