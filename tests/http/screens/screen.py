"""A signed-in browser at the screens, and small files in place of the built ones."""

import gzip
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import msgspec

from svc.actors.system import System
from svc.http.app import public_app
from svc.http.asgi import ASGIApp
from svc.http.screens.assets import Assets, FirstCall, Manifest, ScreenFiles, StaticFile
from tests.http.asking import client_of
from tests.people import a_member
from tests.town import HASHER, Town, town

PASSWORD = "correct horse battery"
OWNER = "ada@example.com"
MANIFEST = Manifest(
    script="app-1.js",
    style="style-1.css",
    icons="icons-1.svg",
    files=("app-1.js", "style-1.css", "icons-1.svg", "part-1.js", "forms-1.js"),
    preload=("part-1.js",),
    screens=(
        ScreenFiles("/app/forms", ("forms-1.js",), (FirstCall("form.list", {}),)),
        ScreenFiles(
            "/app/records/{object}",
            (),
            (FirstCall("record.list", {"objectType": "{object}", "limit": 50}),),
        ),
        ScreenFiles(
            "/app/submissions",
            (),
            (
                FirstCall("submission.list", {"state": "{?state}", "search": "{?q}", "limit": 50}),
                FirstCall("submission.get", {"id": "{open}"}),
                FirstCall("form.list", {}, without=("from", "until")),
                FirstCall("site.list", {}),
            ),
        ),
        ScreenFiles("*", (), (FirstCall("site.list", {}),)),
    ),
)
ASSETS = Assets(
    MANIFEST,
    {name: StaticFile(b"text/javascript", gzip.compress(name.encode(), mtime=0)) for name in MANIFEST.files},
)
_BLOCK = re.compile(r'<script type="application/json" id="boot">(.*?)</script>', re.DOTALL)


class Screens(Town):
    """The doors of screens in a town, and one browser."""

    system: System
    app: ASGIApp
    client: httpx.AsyncClient

    async def sign_in(self, email: str = OWNER) -> str:
        """Sign in, and return the CSRF token."""
        answer = await self.client.post("/app/api/sign-in", json={"email": email, "password": PASSWORD})
        token: str = answer.json()["csrfToken"]
        return token

    async def member(self, email: str, role: str = "viewer", organization_id: str | None = None) -> Any:
        """A member with a password."""
        return await self.store.write(
            a_member,
            organization_id or self.organization.id,
            email,
            role,
            password_hash=HASHER.hash(PASSWORD),
        )


@asynccontextmanager
async def screens(assets: Assets = ASSETS, **options: Any) -> AsyncIterator[Screens]:
    async with town() as here, here.live_system() as system:
        asked = Screens(here.store, here.clock, here.organization)
        asked.system = system
        await asked.member(OWNER, "owner")
        asked.app = public_app(system, assets=assets, **options)
        async with client_of(asked.app) as asked.client:
            yield asked


def boot_of(page: httpx.Response) -> dict[str, Any]:
    """What the block of a shell says."""
    (block,) = _BLOCK.findall(page.text)
    boot: dict[str, Any] = msgspec.json.decode(block)
    return boot
