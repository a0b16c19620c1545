"""Clients of others' making against the real server, on a port."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx2
import pytest
import trio
from fastmcp import Client as FastMCPClient
from fastmcp.client.transports import StreamableHttpTransport
from fastmcp.exceptions import ToolError
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.mcp.asking import NEWEST, Served, served

ADA = {"objectType": "contact", "properties": {"name": "Ada", "email": "ada@example.com"}}
Seen = dict[str, Any]


async def by_official_client(url: str, full_url: str, key: str, mode: str) -> Seen:
    """Everything that the official SDK's client does with tools."""
    headers = {"authorization": f"Bearer {key}"}
    seen: Seen = {}
    async with httpx2.AsyncClient(headers=headers) as http:
        async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
            seen["instructions"] = client.instructions
            seen["entries"] = [one.name for one in (await client.list_tools()).tools]
            found = await client.call_tool("tool_search", {"query": "Add Ada as a new customer"})
            seen["found"] = [one["name"] for one in found.structured_content["tools"]]
            call = {"name": "record_create", "arguments": ADA}
            made = await client.call_tool("tool_call", call)
            seen["made"] = made.structured_content
            seen["refused"] = (await client.call_tool("tool_call", call | {"arguments": {}})).is_error
        async with Client(streamable_http_client(full_url, http_client=http), mode=mode) as client:
            seen["tools"] = [one.name for one in (await client.list_tools()).tools]
            wanted = {"objectType": "contact", "id": seen["made"]["id"]}
            seen["shown"] = (await client.call_tool("record_get", wanted)).structured_content
    return seen


async def by_fastmcp(url: str, full_url: str, key: str, mode: str) -> Seen:
    """The same with FastMCP's client."""
    seen: Seen = {}

    def client(at: str) -> FastMCPClient[StreamableHttpTransport]:
        transport = StreamableHttpTransport(at, headers={"authorization": f"Bearer {key}"})
        return FastMCPClient(transport, mode=mode)

    async with client(url) as one:
        seen["instructions"] = one.instructions
        seen["entries"] = [tool.name for tool in await one.list_tools()]
        found = await one.call_tool("tool_search", {"query": "Add Ada as a new customer"})
        seen["found"] = [tool["name"] for tool in found.structured_content["tools"]]
        call = {"name": "record_create", "arguments": ADA}
        seen["made"] = (await one.call_tool("tool_call", call)).structured_content
        try:
            await one.call_tool("tool_call", call | {"arguments": {}})
        except ToolError as error:
            seen["refused"] = "validation_failed" in str(error)
    async with client(full_url) as one:
        seen["tools"] = [tool.name for tool in await one.list_tools()]
        wanted = {"objectType": "contact", "id": seen["made"]["id"]}
        seen["shown"] = (await one.call_tool("record_get", wanted)).structured_content
    return seen


async def on_trio(ask: Callable[..., Awaitable[Seen]], here: Served, mode: str) -> Seen:
    return await ask(here.url, here.full_url, here.key, mode)


async def on_asyncio(ask: Callable[..., Awaitable[Seen]], here: Served, mode: str) -> Seen:
    """In a thread of its own, with asyncio's loop."""

    async def all_of_it() -> Seen:
        return await ask(here.url, here.full_url, here.key, mode)

    return await trio.to_thread.run_sync(lambda: asyncio.run(all_of_it()))


@pytest.mark.parametrize("mode", ["auto", "legacy", NEWEST])
@pytest.mark.parametrize(
    ("ask", "loop"),
    [(by_official_client, on_trio), (by_official_client, on_asyncio), (by_fastmcp, on_asyncio)],
)
async def test_a_client_finds_and_calls_tools(ask, loop, mode):
    """In one go, on either loop, with a handshake or without."""
    async with served() as here:
        seen = await loop(ask, here, mode)

    assert ["tool_search", "tool_describe", "tool_call"] == seen["entries"]
    assert "record.create" in seen["found"]
    assert ADA["properties"] == seen["made"]["properties"]
    assert seen["refused"]
    assert seen["made"] == seen["shown"]
    assert {"record_create", "record_get", "tool_search"} <= set(seen["tools"])
    assert sorted(seen["tools"]) == seen["tools"]
    assert mode == NEWEST or "This key may call" in seen["instructions"]
