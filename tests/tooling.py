"""A town whose tools are called through the HTTP application, with keys and sessions."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from svc.actors.ai.upstreams import Upstreams
from svc.actors.outbound.client import OutboundHttp
from svc.actors.system import System
from svc.domain.ai.models import ModelCatalogue
from svc.domain.crypto.passwords import salt_for
from svc.domain.identity.people import Person
from svc.domain.randomness import SYSTEM, Randomness
from svc.http.app import public_app
from svc.storage.identity import api_keys
from svc.storage.identity.api_keys import NewKey
from svc.telemetry.spans import Tracer
from tests.databases import ON_POSTGRESQL
from tests.http.asking import client_of
from tests.people import a_member, call_of
from tests.town import HASHER, SECRETS, Town, town

PASSWORD = "correct horse battery"


class ToolTown(Town):
    """A town with a running system, an HTTP client, an Owner, and the Owner's key."""

    system: System
    client: httpx.AsyncClient
    owner: Person
    key: str

    async def call(
        self, tool: str, body: Any = None, *, key: str | None = None, **headers: str
    ) -> httpx.Response:
        """Call a tool with a key, the Owner's unless another is given."""
        sent = {"authorization": f"Bearer {key or self.key}"} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        return await self.client.post(f"/api/v1/tools/{tool}", json=body or {}, headers=sent)

    async def answer(self, tool: str, body: Any = None, *, key: str | None = None) -> Any:
        """The answer of a tool, to a call that has to succeed."""
        answer = await self.call(tool, body, key=key)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def mint(self, person: Person | None = None, **asked: Any) -> str:
        """A new key of *person*, or of the Owner."""
        call = call_of(person or self.owner, self.organization.id, confirmed_at=self.clock.now())
        return (await self.store.write(api_keys.mint, call, NewKey(**({"name": "A key"} | asked)))).key

    async def member(self, email: str, role_id: str) -> Person:
        """A new member, who signs in with `PASSWORD`."""
        hashed = HASHER.hash(PASSWORD, salt=salt_for(email, SECRETS.sender))
        return await self.store.write(a_member, self.organization.id, email, role_id, password_hash=hashed)

    async def sign_in(self, email: str = "owner@example.com") -> str:
        """Sign the client in, and return the CSRF token."""
        answer = await self.client.post("/app/api/sign-in", json={"email": email, "password": PASSWORD})
        token: str = answer.json()["csrfToken"]
        return token

    async def call_as_person(
        self, tool: str, body: Any = None, *, csrf: str, **headers: str
    ) -> httpx.Response:
        """Call a tool as the signed-in person."""
        sent = {"x-csrf-token": csrf} | {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.client.post(f"/app/api/tools/{tool}", json=body or {}, headers=sent)

    async def answer_to_person(self, tool: str, body: Any = None, *, csrf: str) -> Any:
        """The answer of a tool to the signed-in person, to a call that has to succeed."""
        answer = await self.call_as_person(tool, body, csrf=csrf)
        assert answer.status_code == 200, answer.text
        return answer.json()


@asynccontextmanager
async def tool_town(
    random: Randomness = SYSTEM,
    *,
    models: ModelCatalogue | None = None,
    upstreams: Upstreams | None = None,
    outbound_http: OutboundHttp | None = None,
    tracer: Tracer | None = None,
    public_url: str = "",
    on_postgresql: bool = ON_POSTGRESQL,
) -> AsyncIterator[ToolTown]:
    async with town(random=random, on_postgresql=on_postgresql) as here:
        here.models, here.upstreams = models, upstreams
        here.outbound_http, here.tracer = outbound_http, tracer
        async with here.live_system() as system, _tools(here, system, public_url) as made:
            yield made


@asynccontextmanager
async def _tools(here: Town, system: System, public_url: str = "") -> AsyncIterator[ToolTown]:
    made = ToolTown(here.store, here.clock, here.organization)
    made.models, made.upstreams = here.models, here.upstreams
    made.system = system
    made.owner = await made.member("owner@example.com", "owner")
    made.key = await made.mint()
    async with client_of(public_app(system, public_url=public_url)) as made.client:
        yield made
