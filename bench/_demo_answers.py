"""What a service with its demo answers to every example of its contract, and how it describes itself."""

import json
import re
from pathlib import Path
from typing import Any, Final

import httpx

from bench._checkouts import Demo

_CHANCE: Final = re.compile(
    r"\b20\d\d-\d\d-\d\dT[\d:.]+Z"  # a time
    r"|\b(?:svc[a-z]|[a-z]{2}_live|whsec)_[\w+/=-]+"  # a key or a secret
    r"|exp=\d+&sig=[\w-]+"  # of an address that is signed
    r"|http://127\.0\.0\.1:\d+"
    r'|(?<="visibleStart":")\w+|(?<="nextCursor":")[\w-]+'
)
"""What is another in every demo."""
_MCP: Final = "/api/v1/mcp/full"


def client_of(service: Demo) -> httpx.Client:
    """A client of *service*, with its API key."""
    headers = {"authorization": f"Bearer {service.facts['apiKey']}"}
    return httpx.Client(base_url=f"http://127.0.0.1:{service.server.port}", headers=headers, timeout=60)


def contract_of(client: httpx.Client) -> Any:
    """The OpenAPI document of a service."""
    return client.get("/api/v1/openapi.json").raise_for_status().json()


def mcp_tools_of(client: httpx.Client) -> dict[str, Any]:
    """The MCP tools that a service lists, on all pages, by their names."""
    tools: dict[str, Any] = {}
    params: dict[str, str] | None = {}
    while params is not None:
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params}
        page = client.post(_MCP, json=asked).raise_for_status().json()["result"]
        tools |= {tool["name"]: tool for tool in page["tools"]}
        params = {"cursor": page["nextCursor"]} if page.get("nextCursor") else None
    return tools


def record_examples(client: httpx.Client, owner: Any, contract: Any, to: Path) -> None:
    """Ask every tool its example, and write the exchanges *to* a file, as the recorder does those of tests.

    What keys may not call, the *owner* does, who is signed in.
    """
    csrf = client.post("/app/api/sign-in", json=owner).raise_for_status().json()["csrfToken"]
    with to.open("w", encoding="utf-8") as file:
        for path, methods in contract["paths"].items():
            operation = methods["post"]
            example = operation["requestBody"]["content"]["application/json"]["example"]
            by_key = operation["x-tool"]["runs"] == "open"
            address = path if by_key else path.replace("/api/v1/", "/app/api/")
            headers = {} if by_key else {"x-csrf-token": csrf, "authorization": ""}
            answer = client.post(address, json=example, headers=headers)
            line = {
                "test": operation["operationId"],
                "number": 1,
                "method": "POST",
                "path": path,
                "caller": "key" if by_key else "person",
                "fields": [],
                "asked": _CHANCE.sub("*", json.dumps(example)),
                "status": answer.status_code,
                "headers": [("content-type", answer.headers["content-type"])],
                "answer": _CHANCE.sub("*", answer.text),
            }
            file.write(json.dumps(line) + "\n")
