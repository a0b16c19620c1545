"""Apps that are connected from the address alone: clients of others' making, and a person at the screens."""

import asyncio
import socket
import webbrowser
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from threading import Event, Thread
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from fastmcp import Client as FastMCPClient
from fastmcp.client.auth import OAuth
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata
from playwright.sync_api import Browser, Page, StorageState, expect
from pydantic import AnyUrl

from tests.browser.places import WAIT_SECONDS, Service, Website
from tests.browser.screens.conftest import DESK, PHONE, Watch

NAME: Final = "Lamp <b>planner</b>"


class Visit:
    """One client, in a thread of its own, and what it and the person do in turn."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.opened: Queue[str] = Queue()
        """Addresses that it opens in the person's browser."""
        self.said: Queue[Any] = Queue()
        """What the client has been answered."""
        self.go_on = Event()
        self._redirected: Queue[str] = Queue()
        self.redirect_uri = ""

    def listen(self) -> ThreadingHTTPServer:
        """The client's own address for the way back, on a port that was free."""
        visit = self

        class Callback(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if "?" in self.path:
                    visit._redirected.put(self.path)
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(b"<title>Back</title><h1>Back in the app</h1>")

            def log_message(self, *args: object) -> None:
                """Not of interest."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Callback)
        self.redirect_uri = f"http://127.0.0.1:{server.server_port}/callback"
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}).start()
        return server

    async def open(self, address: str) -> None:
        """Have the person's browser open *address*."""
        self.opened.put(address)

    async def come_back(self) -> AuthorizationCodeResult:
        """Wait for the person to come back."""
        path = await asyncio.to_thread(self._redirected.get, timeout=WAIT_SECONDS)
        told = {name: values[0] for name, values in parse_qs(urlsplit(path).query).items()}
        return AuthorizationCodeResult(code=told["code"], state=told["state"], iss=told["iss"])

    async def wait(self) -> None:
        """Wait until the person has done something."""
        assert await asyncio.to_thread(self.go_on.wait, WAIT_SECONDS)
        self.go_on.clear()


class Memory:
    """The official client's storage of tokens."""

    def __init__(self) -> None:
        self.kept: dict[str, Any] = {}

    async def get_tokens(self) -> Any:
        return self.kept.get("tokens")

    async def set_tokens(self, tokens: Any) -> None:
        self.kept["tokens"] = tokens

    async def get_client_info(self) -> Any:
        return self.kept.get("client")

    async def set_client_info(self, client_info: Any) -> None:
        self.kept["client"] = client_info


async def by_official_client(visit: Visit) -> None:
    """Connect, call; refresh, call; and call once more after the person has ended it."""
    memory = Memory()
    metadata = OAuthClientMetadata(client_name=NAME, redirect_uris=[AnyUrl(visit.redirect_uri)])
    auth = OAuthClientProvider(visit.url, metadata, memory, visit.open, visit.come_back)
    async with (
        httpx2.AsyncClient(auth=auth) as http,
        Client(streamable_http_client(visit.url, http_client=http)) as client,
    ):
        call = {"name": "caller_get", "arguments": {}}
        visit.said.put((await client.call_tool("tool_call", call)).structured_content)
        before = memory.kept["tokens"]
        auth.context.token_expiry_time = 1
        visit.said.put((await client.call_tool("tool_call", call)).structured_content)
        after = memory.kept["tokens"]
        visit.said.put(
            (before.access_token, before.refresh_token) != (after.access_token, after.refresh_token)
        )
        await visit.wait()
        visit.said.put((await client.call_tool("tool_call", call)).structured_content)


async def by_fastmcp(visit: Visit) -> None:
    """The same with FastMCP's client, which listens for the way back itself."""
    auth = OAuth(client_name=NAME, callback_timeout=WAIT_SECONDS)
    async with FastMCPClient(visit.url, auth=auth) as client:
        call = {"name": "caller_get", "arguments": {}}
        visit.said.put((await client.call_tool("tool_call", call)).structured_content)
        before = auth.context.current_tokens
        auth.context.token_expiry_time = 1
        visit.said.put((await client.call_tool("tool_call", call)).structured_content)
        after = auth.context.current_tokens
        visit.said.put(
            before is not None and after is not None and before.refresh_token != after.refresh_token
        )
        await visit.wait()
        visit.said.put((await client.call_tool("tool_call", call)).structured_content)


Ask = Callable[[Visit], Awaitable[None]]


@pytest.fixture
def person(browser: Browser, service: Service, owner: StorageState) -> Iterator[Page]:
    """The owner's page, which goes to addresses elsewhere as well."""
    context = browser.new_context(
        base_url=service.url, viewport=DESK, storage_state=owner, reduced_motion="reduce"
    )
    context.set_default_timeout(WAIT_SECONDS * 1_000)
    yield context.new_page()
    context.close()


def start(pool: ThreadPoolExecutor, ask: Ask, visit: Visit) -> Future[None]:
    return pool.submit(lambda: asyncio.run(ask(visit)))  # type: ignore[arg-type]  # it is a coroutine


@pytest.mark.filterwarnings("ignore:Using in-memory token storage")
@pytest.mark.parametrize("ask", [by_official_client, by_fastmcp])
def test_a_client_connects_refreshes_and_is_ended(
    ask: Ask, person: Page, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It opens the screen, the person presses *Allow* and is back in it; ended, it asks anew."""
    visit = Visit(f"{service.url}/api/v1/mcp")
    monkeypatch.setattr(webbrowser, "open", visit.opened.put)
    server = visit.listen()
    with ThreadPoolExecutor(1) as pool:
        running = start(pool, ask, visit)
        try:
            person.goto(visit.opened.get(timeout=WAIT_SECONDS))
            expect(person.get_by_role("heading", name=f"Connect {NAME}?")).to_be_visible()
            expect(person.get_by_text("It runs on this device")).to_be_visible()
            person.get_by_role("radio", name="Only see what your role allows").check()
            person.get_by_role("button", name="Allow", exact=True).click()
            person.wait_for_url("**/callback?**")
            callers = [visit.said.get(timeout=WAIT_SECONDS) for _ in range(2)]
            assert visit.said.get(timeout=WAIT_SECONDS)
            person.goto("/app/account/apps")
            row = person.get_by_role("row").filter(has_text=NAME).filter(has_text="Read").first
            expect(row).to_contain_text("this device")
            row.get_by_role("button", name="End").click()
            person.get_by_role("dialog").get_by_role("button", name="End").click()
            expect(person.get_by_text(f"“{NAME}” is disconnected")).to_be_visible()
            visit.go_on.set()
            asked_again = visit.opened.get(timeout=WAIT_SECONDS)
            person.goto(asked_again)
            person.get_by_role("button", name="Allow", exact=True).click()
            person.wait_for_url("**/callback?**")
            again = visit.said.get(timeout=WAIT_SECONDS)
            running.result(WAIT_SECONDS)
        finally:
            server.shutdown()
            server.server_close()

    assert [("grant", NAME)] * 3 == [(one["kind"], one["name"]) for one in [*callers, again]]
    assert callers[0]["id"] == callers[1]["id"] != again["id"]
    assert callers[0]["tools"] is not None
    assert again["tools"] is None


def registered(service: Service, redirect_uri: str) -> str:
    """The client id of an app that has registered."""
    answer = httpx2.post(
        f"{service.url}/oauth/register",
        json={"client_name": NAME, "redirect_uris": [redirect_uri], "token_endpoint_auth_method": "none"},
    )
    client_id: str = answer.json()["client_id"]
    return client_id


def asking(client_id: str, redirect_uri: str) -> str:
    """The address that an app opens."""
    return "/oauth/authorize?" + str(
        httpx2.QueryParams(
            {
                "response_type": "code",
                "client_id": client_id,
                "redirect_uri": redirect_uri,
                "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
                "code_challenge_method": "S256",
                "state": "s1",
                "scope": "tools.read",
            }
        )
    )


def test_the_request_outlives_signing_in_and_can_be_denied(browser: Browser, service: Service) -> None:
    """On a phone: signed out, one signs in first and is asked then; the app is told that it was denied."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        redirect_uri = f"http://localhost:{free.getsockname()[1]}/callback"
    context = browser.new_context(base_url=service.url, viewport=PHONE, has_touch=True)
    context.set_default_timeout(WAIT_SECONDS * 1_000)
    page = context.new_page()
    page.goto(asking(registered(service, "http://localhost/callback"), redirect_uri))
    expect(page.get_by_label("E-mail")).to_be_visible()
    page.get_by_label("E-mail").fill(service.facts["owner"]["email"])
    page.get_by_label("Password", exact=True).fill(service.facts["owner"]["password"])
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=f"Connect {NAME}?")).to_be_visible()
    # It asks to read alone, so no more can be given.
    expect(page.get_by_role("radio", name="See and change all")).to_have_count(0)
    page.get_by_role("radio", name="Use only these tools").check()
    expect(page.get_by_role("button", name="Allow", exact=True)).to_be_disabled()
    page.get_by_label("record.list", exact=False).first.check()
    expect(page.get_by_role("button", name="Allow", exact=True)).to_be_enabled()
    with page.expect_request("**/callback?**") as sent:
        page.get_by_role("button", name="Do not allow").tap()
    told = parse_qs(urlsplit(sent.value.url).query)
    context.close()

    assert (["access_denied"], ["s1"], [service.url]) == (told["error"], told["state"], told["iss"])


def test_a_request_that_is_over(desk: Page, watch: Watch) -> None:
    """It says so, and what to do."""
    watch.expected = ["404"]
    desk.goto("/app/allow?request=svcq_nothing")
    expect(desk.get_by_role("heading", name="This request is over")).to_be_visible()


def test_an_app_is_entered_by_hand_and_removed(desk: Page) -> None:
    """With a secret, which is shown once; and the switch for members is beside it."""
    desk.goto("/app/settings/apps?new=1")
    desk.get_by_label("Name", exact=True).fill("Stock reports")
    desk.get_by_label("Redirect addresses").fill("https://reports.example/callback")
    desk.get_by_role("switch", name="It has a secret").click()
    desk.get_by_role("button", name="Enter app").click()
    expect(desk.get_by_text("svco_")).to_be_visible()
    desk.get_by_role("button", name="I have copied it").click()
    row = desk.get_by_role("row").filter(has_text="Stock reports")
    expect(row).to_contain_text("With a secret")
    row.get_by_role("button", name="Remove").click()
    desk.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(row).to_have_count(0)
    members = desk.get_by_role("switch", name="Members may connect apps")
    members.click()
    expect(members).to_be_checked()
    members.click()
    expect(members).not_to_be_checked()


def test_a_key_is_rolled(desk: Page, service: Service) -> None:
    """On its page; the new value works, and the one before for as long as was chosen."""
    desk.goto("/app/settings/api-keys?new=1")
    desk.get_by_label("Name", exact=True).fill("Roller")
    desk.get_by_role("button", name="Create key").click()
    before = desk.get_by_label("Key", exact=True).inner_text()
    desk.get_by_role("button", name="I have copied it").click()
    desk.get_by_role("link", name="Roller").click()
    desk.get_by_role("button", name="Roll", exact=True).click()
    desk.get_by_role("radio", name="1 hour").check()
    desk.get_by_role("button", name="Roll key").click()
    after = desk.get_by_label("Key", exact=True).inner_text()
    statuses = [
        desk.request.post(
            f"{service.url}/api/v1/tools/caller.get", data={}, headers={"Authorization": f"Bearer {key}"}
        ).status
        for key in (before, after)
    ]

    assert before != after
    assert [200, 200] == statuses


ASK: Final = """async ([address, key, credentials]) => {
    const headers = {"Content-Type": "application/json", "MCP-Protocol-Version": "2025-06-18"};
    if (key) headers.Authorization = `Bearer ${key}`;
    const body = JSON.stringify({jsonrpc: "2.0", id: 1, method: "ping"});
    try {
        const answer = await fetch(address, {method: "POST", headers, body, credentials});
        return [answer.status, answer.headers.get("www-authenticate"), await answer.text()];
    } catch (error) {
        return error.name;
    }
}"""


def test_a_page_of_this_machine_calls_the_mcp_address(
    person: Page, service: Service, website: Website
) -> None:
    """With a token, as the inspector's does; but not with cookies, and a page of another name is kept out."""
    website.pages["/"] = "<title>Inspector</title>"
    address, key = f"{service.url}/api/v1/mcp", service.facts["apiKey"]
    person.goto(website.url())
    pong = person.evaluate(ASK, [address, key, "omit"])
    none = person.evaluate(ASK, [address, None, "omit"])
    with_cookies = person.evaluate(ASK, [address, key, "include"])
    person.goto(website.url(host="rebound.localhost"))
    other = person.evaluate(ASK, [address, key, "omit"])

    assert [200, None, '{"jsonrpc":"2.0","id":1,"result":{}}'] == pong
    assert 401 == none[0]
    assert "/.well-known/oauth-protected-resource/api/v1/mcp" in none[1]
    assert ["TypeError", "TypeError"] == [with_cookies, other]
