"""Clients of npm's, as they come, that connect from the address alone: `make conformance` runs this.

The official TypeScript client, `mcp-remote`, and the inspector's command line and page. For each a person in
a browser presses *Allow*; it calls, refreshes, is ended by that person, and asks anew. The official Python
client and FastMCP's do it in `tests/browser`.

The official suite for authorization servers, `conformance authorization`, goes through it once, as a client
without a secret. It has two scenarios, and both have to pass without a warning. With a secret it would be the
same: where a server has clients without one, the suite does not send it.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any, Final, Self

import httpx
from playwright.sync_api import BrowserContext, Page, expect, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from svc.domain.grants.oauth import DOOR_PATHS
from tests.browser.conftest import CHROMIUM_ARGS, chromium
from tests.browser.places import Service, service_with_demo

NODE: Final = Path(__file__).parent.parent / "node"
PACKAGES: Final = NODE / "node_modules"
INSPECTOR: Final = PACKAGES / "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
CONFORMANCE: Final = PACKAGES / "@modelcontextprotocol/conformance/dist/index.js"
REMOTE: Final = PACKAGES / "mcp-remote/dist/proxy.js"
SECONDS_MAX: Final = 60
"""For each thing that is waited for."""

CALL: Final = {"name": "caller_get", "arguments": {}}
_OPEN: Final = r"(http://\S+/oauth/authorize\?\S+)"
_ACCESS_TOKEN: Final = re.compile(r"svca_[0-9A-Za-z]{38}")
_CLIENT_ID: Final = re.compile(r"app_[0-9A-Z]{26}")


class Program:
    """A program of npm's with a home of its own, and the lines that it prints."""

    def __init__(self, home: Path, *command: str | Path, **environment: str) -> None:
        home.mkdir(exist_ok=True)
        self.home: Final = home
        # It finds no browser to open, so it prints the address.
        kept = {"HOME": str(home), "PATH": os.environ["PATH"], "MCP_INSPECTOR_SECRET_STORE": "file"}
        self._process = subprocess.Popen(
            ["node", *map(str, command)],
            env=kept | environment,
            cwd=home,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,  # `node` may be a wrapper, which would leave the program behind
        )
        self.printed: list[str] = []
        self._lines: Queue[str | None] = Queue()
        self._reader = Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        for line in self._process.stdout or ():
            self._lines.put(line)
        self._lines.put(None)

    def wait_line(self, pattern: str) -> str:
        """The group of *pattern* in the next line that has it."""
        while (line := self._next()) is not None:
            if found := re.search(pattern, line):
                return found[1]
        raise AssertionError(f"it ended without {pattern}:\n{''.join(self.printed)}")

    def wait_end(self) -> int:
        """Its exit code, once it has ended by itself."""
        while self._next() is not None:
            pass
        return self._process.wait(SECONDS_MAX)

    def send(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(SECONDS_MAX)
        self._reader.join()

    def _next(self) -> str | None:
        try:
            line = self._lines.get(timeout=SECONDS_MAX)
        except Empty:
            raise AssertionError(f"nothing more came:\n{''.join(self.printed)}") from None
        if line is not None:
            self.printed.append(line)
        return line


class Person:
    """The owner, signed in, who allows and ends."""

    def __init__(self, context: BrowserContext, service: Service) -> None:
        self.context: Final = context
        self.url: Final = service.url
        self.page: Final = context.new_page()
        self.page.goto("/app/sign-in")
        self.page.get_by_label("E-mail").fill(service.facts["owner"]["email"])
        self.page.get_by_label("Password", exact=True).fill(service.facts["owner"]["password"])
        self.page.keyboard.press("Enter")
        self.page.wait_for_selector("#title")

    def allow(self, address: str) -> None:
        """Open *address* and press *Allow*, which leads back to the app."""
        self.page.goto(address)
        self.press_allow(self.page)

    def press_allow(self, page: Page) -> None:
        page.get_by_role("button", name="Allow", exact=True).click()
        page.wait_for_url(lambda url: not url.startswith(self.url))

    def end_newest(self) -> None:
        """End what was allowed last."""
        self.page.goto("/app/account/apps")
        self.page.get_by_role("button", name="End").first.click()
        self.page.get_by_role("dialog").get_by_role("button", name="End").click()
        expect(self.page.get_by_text("is disconnected")).to_be_visible()


def access_tokens(home: Path) -> set[str]:
    """The access tokens that a program keeps below *home*."""
    return {token for text in _files(home) for token in _ACCESS_TOKEN.findall(text)}


def give_back_access_tokens(service: Service, home: Path) -> set[str]:
    """Revoke the access tokens that a program keeps, as after an hour: its next call is answered 401."""
    tokens = access_tokens(home)
    for token in tokens:
        for client_id in {client_id for text in _files(home) for client_id in _CLIENT_ID.findall(text)}:
            answer = httpx.post(f"{service.url}/oauth/revoke", data={"token": token, "client_id": client_id})
            assert 200 == answer.status_code, answer.text
    assert tokens
    return tokens


def _files(home: Path) -> Iterator[str]:
    for path in home.rglob("*"):
        if path.is_file():
            yield path.read_text(errors="replace")


def check_caller(text: str) -> None:
    """Check that *text* is what `caller.get` tells an app."""
    assert '"kind":"grant"' in text.replace("\\", "").replace(" ", ""), text


def by_sdk(service: Service, person: Person, home: Path) -> None:
    """The official TypeScript client."""
    with Program(home, NODE / "sdk_client.mjs", service.url + DOOR_PATHS["mcp"]) as client:
        person.allow(client.wait_line(_OPEN))
        client.send("call")
        check_caller(client.wait_line("result (.*)"))
        before = give_back_access_tokens(service, home)
        client.send("call")
        check_caller(client.wait_line("result (.*)"))
        assert not before & access_tokens(home)
        person.end_newest()
        client.send("call")
        assert client.wait_line(_OPEN)
        assert client.wait_line("(refused)")


def by_remote(service: Service, person: Person, home: Path) -> None:
    """`mcp-remote`, by which clients that start programs alone reach it."""

    def message(number: int, method: str, params: dict[str, Any]) -> str:
        return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})

    info = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    call = {"name": "tool_call", "arguments": CALL}
    with Program(home, REMOTE, service.url + DOOR_PATHS["mcp"]) as client:
        client.send(message(1, "initialize", info))
        address = client.wait_line(_OPEN)
        client.wait_line("(callback server running)")
        person.allow(address)
        client.wait_line("(serverInfo)")
        client.send('{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        client.send(message(2, "tools/call", call))
        check_caller(client.wait_line('("structuredContent".*)'))
        before = give_back_access_tokens(service, home)
        client.send(message(3, "tools/call", call))
        check_caller(client.wait_line('("structuredContent".*)'))
        assert not before & access_tokens(home)
        person.end_newest()
        client.send(message(4, "tools/call", call))
        assert client.wait_line(_OPEN)


def by_inspector(service: Service, person: Person, home: Path) -> None:
    """The inspector's command line, each call a program of its own."""
    command = ["--cli", "--transport", "http", "--server-url", service.url + DOOR_PATHS["mcp"]]
    command += ["--method", "tools/call", "--tool-name", "tool_call", "--tool-args-json", json.dumps(CALL)]
    command += ["--callback-url", f"http://127.0.0.1:{free_port()}/oauth/callback"]

    def run() -> Program:
        return Program(home, INSPECTOR, *command, MCP_AUTO_OPEN_ENABLED="true")

    with run() as client:
        person.allow(client.wait_line(_OPEN))
        assert 0 == client.wait_end(), client.printed
        check_caller("".join(client.printed))
    before = give_back_access_tokens(service, home)
    with run() as client:
        assert 0 == client.wait_end(), client.printed
        check_caller("".join(client.printed))
        assert not before & access_tokens(home)
    person.end_newest()
    with run() as client:
        assert client.wait_line(_OPEN)


def by_inspector_page(service: Service, person: Person, home: Path) -> None:
    """The inspector's page, beside the person's own in one browser."""
    command = ["--web", "--transport", "http", "--server-url", service.url + DOOR_PATHS["mcp"]]
    ports = {"CLIENT_PORT": str(free_port()), "MCP_SANDBOX_PORT": str(free_port())}
    with Program(home, INSPECTOR, *command, MCP_AUTO_OPEN_ENABLED="false", **ports) as inspector:
        page = person.context.new_page()
        page.goto(inspector.wait_line(r"(http://\S+MCP_INSPECTOR_API_TOKEN=\S+)"))
        page.get_by_role("switch", name="Connect or disconnect").click(force=True)
        person.press_allow(page)
        page.get_by_text("Tools", exact=True).click()
        page.get_by_role("button", name="tool_call").click()
        page.get_by_role("textbox", name="name", exact=True).fill("caller_get")
        call = page.get_by_role("button", name="Execute Tool")
        call.click()
        expect(page.get_by_text('"kind": "grant"').first).to_be_visible()
        page.get_by_role("button", name="Close results").click()
        before = give_back_access_tokens(service, home)
        call.click()
        expect(page.get_by_text('"kind": "grant"').first).to_be_visible()
        page.get_by_role("button", name="Close results").click()
        assert not before & access_tokens(home)
        person.end_newest()
        call.click()
        expect(page.get_by_role("heading", name="Connect MCP Inspector?")).to_be_visible()
        page.close()


def by_suite(service: Service, person: Person, home: Path) -> None:
    """The official suite for authorization servers, which has a person go through it."""
    port = free_port()
    redirect_uri = f"http://127.0.0.1:{port}/callback"
    asked = {"client_name": "Suite", "redirect_uris": [redirect_uri], "token_endpoint_auth_method": "none"}
    registered = httpx.post(f"{service.url}/oauth/register", json=asked).json()
    command = ["authorization", "--url", service.url, "--client-id", registered["client_id"]]
    command += ["--resource", service.url + DOOR_PATHS["mcp"], "--port", str(port)]
    with Program(home, CONFORMANCE, *command) as suite:
        person.allow(suite.wait_line(_OPEN))
        code, output = suite.wait_end(), "".join(suite.printed)
    assert code == 0, output
    assert "SKIPPED" not in output, output
    assert "WARNING" not in output, output


def free_port() -> int:
    """A port that no program listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def signed_in(service: Service) -> Iterator[Person]:
    """The owner in a browser."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=CHROMIUM_ARGS)
        context = browser.new_context(base_url=service.url, reduced_motion="reduce")
        context.set_default_timeout(SECONDS_MAX * 1_000)
        yield Person(context, service)
        browser.close()


CLIENTS: Final[dict[str, Callable[[Service, Person, Path], None]]] = {
    "the TypeScript client": by_sdk,
    "mcp-remote": by_remote,
    "the inspector's command line": by_inspector,
    "the inspector's page": by_inspector_page,
    "the suite for authorization servers": by_suite,
}


def main() -> bool:
    """Connect each, and say whether all of them passed."""
    with (
        tempfile.TemporaryDirectory() as folder,
        service_with_demo(Path(folder) / "service") as service,
        signed_in(service) as person,
    ):
        passed = [
            passes(name, partial(connect, service, person, Path(folder) / str(number)))
            for number, (name, connect) in enumerate(CLIENTS.items())
        ]
    return all(passed)


def passes(name: str, connect: Callable[[], None]) -> bool:
    """Whether *connect* does all that it should; it is printed."""
    try:
        connect()
    except (AssertionError, PlaywrightError, httpx.HTTPError) as error:
        print(f"\n== {name}: FAILED\n{error}", flush=True)  # noqa: T201  # its purpose
        return False
    print(f"\n== {name}: passed", flush=True)  # noqa: T201
    return True


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
