"""The official conformance suite and the official inspector, both of npm, against the real server.

`make conformance` installs both and runs this. The suite cannot send a key, so the server
here puts one into requests that have none. `conformance.yml` has what does not apply, with the reasons.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import trio

from svc.domain.errors import Conflict
from svc.domain.identity.callers import Call
from svc.http.asgi import ASGIApp, Receive, Scope, Send
from svc.http.fast_path import FastPath, Routes
from svc.http.grants.places import Issuer
from svc.http.mcp.door import FULL_PATH, PATH, McpDoor
from svc.storage.store import View
from svc.tools.catalogue import REGISTRY
from svc.tools.registry import Registry
from svc.tools.tool import Tool, ToolInput, ToolOutput, reads
from tests.http.serving import listening
from tests.tooling import tool_town

PACKAGES: Final = Path(__file__).parent.parent / "node" / "node_modules"
BASELINE: Final = Path(__file__).with_name("conformance.yml")
VERSIONS: Final = ("2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
SMALL_DOOR: Final = (
    "server-initialize",
    "ping",
    "tools-list",
    "dns-rebinding-protection",
    "http-header-validation",
)
"""Scenarios that are asked of the door with three entries too; the suite's own tools are in the flat list."""
SCHEMA_TOOL: Final = "json_schema_2020_12_tool"


class Nothing(ToolInput, frozen=True, kw_only=True):
    """No arguments."""


class Text(ToolOutput, frozen=True, kw_only=True):
    """A text."""

    text: str


def suite_tools() -> Iterator[Tool[Any, Any]]:
    """The tools that the suite calls, as far as ours can be like them."""
    said = Text(text="This is a simple text response for testing.")

    @reads("test.simple_text", example=Nothing(), answer=said)
    def simple_text(_view: View, _call: Call, _request: Nothing) -> Text:
        """Answer with a text."""
        return said

    @reads("test.error_handling", example=Nothing(), answer=said)
    def error_handling(_view: View, _call: Call, _request: Nothing) -> Text:
        """Refuse whatever is asked."""
        raise Conflict("This tool intentionally returns an error for testing")

    @reads(SCHEMA_TOOL, example=Nothing(), answer=said)
    def schema_tool(_view: View, _call: Call, _request: Nothing) -> Text:
        """Take what a schema with every keyword allows."""
        return said

    yield from (simple_text, error_handling, schema_tool)


SCHEMA: Final[dict[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
"""That of the suite's tool for schemas."""


def suite_registry() -> Registry:
    """The catalogue, and the suite's tools."""
    registry = Registry([*REGISTRY.values(), *suite_tools()])
    theirs = registry.schemas[SCHEMA_TOOL]._replace(input=SCHEMA)
    registry.schemas = {**registry.schemas, SCHEMA_TOOL: theirs}
    return registry


class WithKey:
    """ASGI middleware: a request without a key is one with *key*."""

    def __init__(self, app: ASGIApp, key: str) -> None:
        self._app = app
        self._header = (b"authorization", f"Bearer {key}".encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = list(scope["headers"])
        if not any(name == b"authorization" for name, _ in headers):
            headers.append(self._header)
        await self._app({**scope, "headers": headers}, receive, send)


async def nowhere(_scope: Scope, _receive: Receive, send: Send) -> None:
    """404, for whatever is at no door."""
    await send({"type": "http.response.start", "status": 404, "headers": []})
    await send({"type": "http.response.body", "body": b""})


async def run_node(script: str, *arguments: str, home: str) -> tuple[int, str]:
    """The exit code and all output of a program of npm's, which writes nowhere but below *home*."""
    node = Path(sys.executable).with_name("node")
    ran = await trio.run_process(
        [str(node), str(PACKAGES / script), *arguments],
        capture_stdout=True,
        stderr=-2,
        check=False,
        cwd=home,
        env={"PATH": os.environ["PATH"], "HOME": home, "CI": "true"},
    )
    return ran.returncode or 0, ran.stdout.decode()


async def conformance(url: str, home: str, *arguments: str) -> bool:
    """Whether the suite found nothing that is not in the baseline."""
    script = "@modelcontextprotocol/conformance/dist/index.js"
    given = ["server", "--url", url, "--expected-failures", str(BASELINE), *arguments]
    code, output = await run_node(script, *given, home=home)
    summary = output[max(0, output.find("=== SUMMARY")) :]
    say(" ".join((url.partition("/api")[2], *arguments)), summary, passed=not code)
    return not code


async def inspector(url: str, key: str, home: str) -> bool:
    """Whether the inspector lists the tools without a complaint, and calls one."""
    script = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
    server = ["--cli", "--server-url", url, "--transport", "http", "--header", f"Authorization: Bearer {key}"]
    code, listed = await run_node(script, *server, "--method", "tools/list", "--strict", home=home)
    call = ["--method", "tools/call", "--tool-name", "tool_search", "--tool-arg", "query=Add a new customer"]
    called_code, called = await run_node(script, *server, *call, home=home)
    passed = not code and not called_code and "record.create" in called and '"tool_search"' in listed
    say(f"inspector, {url.partition('/api')[2]}", f"{listed}\n{called}", passed=passed)
    return passed


def say(what: str, output: str, *, passed: bool) -> None:
    """Print what was found: of a run that passed, a line for each scenario at most."""
    shown = "\n".join(line for line in output.splitlines() if line.startswith("✓")) if passed else output
    print(f"\n== {what}: {'passed' if passed else 'FAILED'}\n{shown}", flush=True)  # noqa: T201  # its purpose


async def main() -> bool:
    """Run everything, and say whether all of it passed."""
    async with tool_town() as here:
        here.system.calls.per_minute = 1_000_000
        registry = suite_registry()
        issuer = Issuer("")
        doors = {
            PATH: McpDoor(here.system, registry, issuer),
            FULL_PATH: McpDoor(here.system, registry, issuer, flat=True),
        }
        with tempfile.TemporaryDirectory() as home:
            async with listening(WithKey(FastPath(nowhere, Routes(doors)), here.key)) as server:
                base = f"http://{server.bind.host}:{server.bind.port}"
                passed = [
                    await conformance(f"{base}{FULL_PATH}", home, "--suite", "all", "--spec-version", version)
                    for version in VERSIONS
                ]
                for version in VERSIONS[1:]:
                    for scenario in SMALL_DOOR:
                        asked = ("--scenario", scenario, "--spec-version", version)
                        passed.append(await conformance(f"{base}{PATH}", home, *asked))
                passed += [await inspector(f"{base}{path}", here.key, home) for path in (PATH, FULL_PATH)]
    return all(passed)


if __name__ == "__main__":
    sys.exit(0 if trio.run(main) else 1)
