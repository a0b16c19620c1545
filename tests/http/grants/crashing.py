"""A program in which an app is allowed, exchanges its code or refreshes, and is killed on the way.

    python -m tests.http.grants.crashing DIRECTORY allow|exchange|refresh

It prints a JSON object for each step: what the next life found, and what became of the same request there.
See `tests.http.tools.crashing`.
"""

import shutil
import sys
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final, Literal, cast

import httpx
import msgspec
import trio
from sqlalchemy import Connection, func, select

from svc.domain.crypto.passwords import salt_for
from svc.domain.grants.oauth import challenge_of
from svc.storage import integrity, provisioning
from svc.storage.grants import tables as grant_tables
from svc.storage.identity import tables as identity_tables
from svc.storage.identity.organizations import NewOrganization
from tests.connecting import CALLBACK, VERIFIER, told
from tests.http.tools.crashing import Steps, forked, life
from tests.people import a_member
from tests.town import HASHER, SECRETS

EMAIL: Final = "owner@example.com"
PASSWORD: Final = "correct horse battery"  # a test's
HOST: Final = {"host": "127.0.0.1"}
Moment = Literal["allow", "exchange", "refresh"]


class Left(msgspec.Struct, frozen=True):
    """What there is: live grants, codes that were not used, and tokens that were not."""

    grants: int
    codes: int
    access: int
    refresh: int


class Kill(msgspec.Struct, frozen=True):
    """What came of a life that was to be killed before one step."""

    killed: bool
    steps: list[str]
    said: bool
    """Whether an answer was ready to leave."""
    found: Left
    again: int
    """The status of the same request, made once more."""
    left: Left
    works: bool
    """Whether what that gave is good for another refresh."""
    broken: list[str]


class Page(msgspec.Struct, frozen=True):
    """What outlives the service: a browser, and an app with what it was given."""

    cookies: dict[str, str]
    csrf: str
    organization_id: str
    client_id: str
    request: str
    code: str = ""
    refresh_token: str = ""

    async def act(self, client: httpx.AsyncClient, moment: Moment) -> httpx.Response:
        client.cookies.update(self.cookies)
        if moment == "allow":
            body = {"request": self.request, "organization": self.organization_id}
            headers = HOST | {"x-csrf-token": self.csrf}
            return await client.post("/app/api/authorization/allow", json=body, headers=headers)
        if moment == "exchange":
            return await self.token(
                client, grant_type="authorization_code", code=self.code, code_verifier=VERIFIER
            )
        return await self.token(client, grant_type="refresh_token", refresh_token=self.refresh_token)

    async def token(self, client: httpx.AsyncClient, **form: str) -> httpx.Response:
        return await client.post("/oauth/token", data={"client_id": self.client_id} | form, headers=HOST)


async def begin(path: Path, moment: Moment) -> Page:
    """Make the database, with an app that has come as far as *moment*."""
    async with life(path) as (store, client):
        organization = await store.write(provisioning.create, NewOrganization(name="Lamps"))
        hashed = HASHER.hash(PASSWORD, salt=salt_for(EMAIL, SECRETS.sender))
        await store.write(a_member, organization.id, EMAIL, password_hash=hashed)
        answer = await client.post("/app/api/sign-in", json={"email": EMAIL, "password": PASSWORD})
        asked = {"redirect_uris": [CALLBACK], "token_endpoint_auth_method": "none"}
        registered = await client.post("/oauth/register", json=asked, headers=HOST)
        client_id = registered.json()["client_id"]
        query = {
            "response_type": "code",
            "client_id": client_id,
            "redirect_uri": CALLBACK,
            "code_challenge": challenge_of(VERIFIER),
            "code_challenge_method": "S256",
        }
        sent = await client.get("/oauth/authorize", params=query, headers=HOST)
        request = sent.headers["location"].partition("?request=")[2]
        page = Page(dict(client.cookies), answer.json()["csrfToken"], organization.id, client_id, request)
        if moment == "allow":
            return page
        allowed = await page.act(client, "allow")
        page = msgspec.structs.replace(page, code=told(allowed.json()["redirect"])["code"])
        if moment == "exchange":
            return page
        given = (await page.act(client, "exchange")).json()
        return msgspec.structs.replace(page, refresh_token=given["refresh_token"])


async def once(path: Path, page: Page, moment: Moment, last: int, pipe: int) -> None:
    """The life that is to be killed."""
    steps = Steps(pipe, last)
    async with life(path, steps) as (_, client):
        steps.armed = True
        await page.act(client, moment)
        steps.armed = False


async def again(path: Path, page: Page, moment: Moment) -> dict[str, Any]:
    """The life after it."""
    async with life(path) as (store, client):
        found = await store.read(left)
        answer = await page.act(client, moment)
        now = await store.read(left)
        token = answer.json().get("refresh_token", "none")
        works = await page.token(client, grant_type="refresh_token", refresh_token=token)
        broken = await store.read_long(
            lambda conn: [one.promise for one in integrity.check(conn) if one.broken]
        )
        return {
            "found": found,
            "again": answer.status_code,
            "left": now,
            "works": works.status_code == 200,
            "broken": broken,
        }


def left(conn: Connection) -> Left:
    grants, access = identity_tables.grants, identity_tables.access_tokens
    codes, refresh = grant_tables.authorization_codes, grant_tables.refresh_tokens
    return Left(
        *(
            conn.execute(select(func.count()).select_from(table).where(*which)).scalar_one()
            for table, which in (
                (grants, [grants.c.ended_at.is_(None)]),
                (codes, [codes.c.used_at.is_(None)]),
                (access, []),
                (refresh, [refresh.c.used_at.is_(None)]),
            )
        )
    )


def main(directory: Path, moment: Moment) -> None:
    made = directory / "made.db"
    page = trio.run(begin, made, moment)
    for last in count(1):
        path = directory / f"{last}.db"
        shutil.copy(made, path)
        killed, written = forked(partial(once, path, page, moment, last))
        lines = [msgspec.json.decode(line) for line in written.splitlines()]
        kill = Kill(
            killed=killed,
            steps=[line["step"] for line in lines if "step" in line],
            said=any("said" in line for line in lines),
            **trio.run(again, path, page, moment),
        )
        sys.stdout.write(msgspec.json.encode(kill).decode() + "\n")
        if not killed:
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]), cast("Moment", sys.argv[2]))
