"""An app that is connected over HTTP: it registers, a person allows it, and it has tokens."""

from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx
import msgspec

from svc.domain.grants.oauth import challenge_of
from tests.tooling import ToolTown

BASE: Final = "https://crm.example"
CALLBACK: Final = "https://app.example/callback"
VERIFIER: Final = "v" * 43
MCP: Final = "/api/v1/mcp"


class App(msgspec.Struct, kw_only=True):
    """A client that has registered with *here*."""

    here: ToolTown
    client_id: str
    secret: str | None = None
    redirect_uri: str = CALLBACK

    async def ask(self, **changes: Any) -> httpx.Response:
        """Send the person to the authorization door; what is None is left out."""
        asked = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "code_challenge": challenge_of(VERIFIER),
            "code_challenge_method": "S256",
            "state": "s1",
        } | changes
        query = urlencode({name: value for name, value in asked.items() if value is not None}, doseq=True)
        return await self.here.client.get(f"/oauth/authorize?{query}")

    async def request(self, **changes: Any) -> str:
        """The token of a request that waits for the person."""
        answer = await self.ask(**changes)
        assert 303 == answer.status_code, answer.text
        path, _, query = answer.headers["location"].partition("?request=")
        assert "/app/allow" == path
        return query

    async def code(self, csrf: str, *, request: dict[str, Any] | None = None, **decision: Any) -> str:
        """The code that the app is given when the signed-in person allows it."""
        answer = await self.allow(csrf, await self.request(**(request or {})), **decision)
        assert 200 == answer.status_code, answer.text
        return told(answer.json()["redirect"])["code"]

    async def allow(self, csrf: str, request: str, **decision: Any) -> httpx.Response:
        """The person's *Allow*."""
        body = {"request": request, "organization": self.here.organization.id} | decision
        return await self.here.client.post(
            "/app/api/authorization/allow", json=body, headers={"x-csrf-token": csrf}
        )

    async def exchange(self, code: str, /, **changes: Any) -> httpx.Response:
        """Exchange a code."""
        asked = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self.redirect_uri,
            "code_verifier": VERIFIER,
        }
        return await self.post("/oauth/token", asked | changes)

    async def refresh(self, refresh_token: str, **changes: Any) -> httpx.Response:
        """Refresh."""
        asked = {"grant_type": "refresh_token", "refresh_token": refresh_token}
        return await self.post("/oauth/token", asked | changes)

    async def revoke(self, token: str) -> httpx.Response:
        """Give a token back."""
        return await self.post("/oauth/revoke", {"token": token})

    async def post(self, path: str, asked: dict[str, Any]) -> httpx.Response:
        """Send a form as this client."""
        own = {"client_id": self.client_id} | ({"client_secret": self.secret} if self.secret else {})
        form = {name: value for name, value in (own | asked).items() if value is not None}
        return await self.here.client.post(path, data=form)

    async def connect(self, csrf: str, **decision: Any) -> dict[str, Any]:
        """The first tokens, of a grant that the signed-in person allows."""
        answer = await self.exchange(await self.code(csrf, **decision))
        assert 200 == answer.status_code, answer.text
        tokens: dict[str, Any] = answer.json()
        return tokens


def told(address: str) -> dict[str, str]:
    """What an app is told at *address*."""
    return dict(parse_qsl(urlsplit(address).query, keep_blank_values=True))


async def register(here: ToolTown, **changes: Any) -> App:
    """An app that has registered; a public one unless *changes* say otherwise."""
    asked = {
        "client_name": "Reports",
        "redirect_uris": [CALLBACK],
        "token_endpoint_auth_method": "none",
    } | changes
    answer = await here.client.post("/oauth/register", json=asked)
    assert 201 == answer.status_code, answer.text
    registered = answer.json()
    return App(here=here, client_id=registered["client_id"], secret=registered.get("client_secret"))


async def call(
    here: ToolTown, token: str, name: str = "caller_get", arguments: Any = None, path: str = f"{MCP}/full"
) -> httpx.Response:
    """Call a tool at an MCP door with a token or key."""
    params = {"name": name, "arguments": arguments or {}}
    if path == MCP:
        params = {"name": "tool_call", "arguments": params}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {"authorization": f"Bearer {token}", "mcp-protocol-version": "2025-06-18"}
    return await here.client.post(path, json=message, headers=headers)


async def result(here: ToolTown, token: str, name: str = "caller_get", arguments: Any = None) -> Any:
    """The result of a tool at the small MCP door."""
    answer = await call(here, token, name, arguments, MCP)
    assert 200 == answer.status_code, answer.text
    return answer.json()["result"]
