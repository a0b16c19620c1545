"""What an installed service has to do for who comes to it, over HTTP alone."""

import json
import re
from pathlib import Path
from typing import Any

import httpx


def walk_through(client: httpx.Client, demo: dict[str, Any]) -> None:
    """A form, an embed, a screen, a guide, an MCP call and a streamed completion, of a fresh demo shop."""
    submit(client, demo)
    embedded = client.get(f"/api/e/{demo['embedKey']}").json()
    assert embedded["ok"]
    assert "records" in {block["type"] for block in embedded["blocks"]}
    open_screen(client, demo)
    assert "<h1" in client.get("/docs/forms").raise_for_status().text
    call_over_mcp(client, demo)
    assert "Echo: Which lamp suits a harbour?" == streamed(client, demo, "Which lamp suits a harbour?")


def submit(client: httpx.Client, demo: dict[str, Any]) -> None:
    """A form's submission, sent by a server."""
    sent = client.post(
        "/api/f/s",
        headers={"Authorization": f"Bearer {demo['serverKey']}", "x-visitor-ip": "192.0.2.7"},
        json={"f": demo["formKey"], "v": {"name": "Ada", "email": "ada@example.com", "town": "Leeds"}},
    )
    assert {"ok": True} == sent.json()


def open_screen(client: httpx.Client, demo: dict[str, Any]) -> None:
    """A sign-in, the shell of the screens, and every file that it names."""
    signed_in = client.post("/app/api/sign-in", json=demo["owner"]).raise_for_status()
    assert signed_in.json()["csrfToken"]
    shell = client.get("/app/records/contact").raise_for_status().text
    files = re.findall(r'"(/app/static/[^"]+)"', shell)
    assert files
    for file in files:
        client.get(file).raise_for_status()


def call_over_mcp(client: httpx.Client, demo: dict[str, Any]) -> None:
    """A tool called through another, as clients of MCP do."""
    wanted = {"name": "record.list", "arguments": {"objectType": "contact"}}
    call = {"name": "tool_call", "arguments": wanted}
    answered = client.post(
        "/api/v1/mcp",
        headers={
            "Authorization": f"Bearer {demo['apiKey']}",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2025-06-18",
        },
        json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call},
    )
    result = answered.raise_for_status().json()["result"]
    assert not result.get("isError", False), result


def streamed(client: httpx.Client, demo: dict[str, Any], question: str) -> str:
    """The answer of the demo's model to *question*, put together from its parts."""
    parts: list[str] = []
    with client.stream(
        "POST",
        "/api/ai/v1/chat/completions",
        headers={"Authorization": f"Bearer {demo['gatewayKey']}"},
        json={"model": "demo-echo", "stream": True, "messages": [{"role": "user", "content": question}]},
    ) as answer:
        for line in answer.iter_lines():
            data = line.removeprefix("data: ")
            if data and data != "[DONE]":
                parts += [choice["delta"].get("content") or "" for choice in json.loads(data)["choices"]]
    assert len(parts) > 2, "it came in one piece"
    return "".join(parts)


def demo_in(data: Path) -> dict[str, Any]:
    """What `demo.json` says."""
    demo: dict[str, Any] = json.loads((data / "demo.json").read_bytes())
    return demo
