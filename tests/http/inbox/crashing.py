"""A program that sends a reply from a draft and is killed on the way, at one step after the other.

    python -m tests.http.inbox.crashing DIRECTORY

It prints a JSON object for each step: what the next life found, and what it left after the same call again,
as a page makes it that had no answer. See `tests.http.tools.crashing`.
"""

import shutil
import sys
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import msgspec
import structlog
import trio
from sqlalchemy import Connection, func, select

from svc.domain.crypto.passwords import salt_for
from svc.storage import integrity, provisioning
from svc.storage.channels import tables as channel_tables
from svc.storage.identity.organizations import NewOrganization
from svc.storage.inbox import tables as inbox_tables
from tests.channels import a_connection, a_message
from tests.http.tools.crashing import Steps, forked, life
from tests.people import a_member
from tests.town import HASHER, SECRETS

EMAIL, PASSWORD = "owner@example.com", "correct horse battery"


class Left(msgspec.Struct, frozen=True):
    """What there is of the reply and the draft."""

    replies: int
    drafts: int


class Kill(msgspec.Struct, frozen=True):
    """What came of a life that was to be killed before one step."""

    killed: bool
    steps: list[str]
    found: Left
    statuses: list[int]
    """Of the same call, made twice more."""
    left: Left
    broken: list[str]


class Page(msgspec.Struct, frozen=True):
    """A page that somebody has open: it outlives the service."""

    cookies: dict[str, str]
    csrf: str
    conversation_id: str

    async def call(self, client: httpx.AsyncClient, tool: str, body: Any, **headers: str) -> int:
        client.cookies.update(self.cookies)
        sent = {"x-csrf-token": self.csrf, **headers}
        return (await client.post(f"/app/api/tools/{tool}", json=body, headers=sent)).status_code

    async def reply(self, client: httpx.AsyncClient) -> int:
        body = {"conversationId": self.conversation_id, "text": "It will be Friday"}
        return await self.call(client, "message.reply", body, **{"idempotency-key": "k-1"})


async def begin(path: Path) -> Page:
    """Make the database, with a conversation and a draft in it."""
    async with life(path) as (store, client):
        organization = await store.write(provisioning.create, NewOrganization(name="Lamps"))
        hashed = HASHER.hash(PASSWORD, salt=salt_for(EMAIL, SECRETS.sender))
        await store.write(a_member, organization.id, EMAIL, password_hash=hashed)
        connection = await store.write(a_connection, organization.id)
        received = await store.write(a_message, connection)
        answer = await client.post("/app/api/sign-in", json={"email": EMAIL, "password": PASSWORD})
        page = Page(dict(client.cookies), answer.json()["csrfToken"], received.conversation)
        draft = {"id": page.conversation_id, "text": "It will be"}
        assert 200 == await page.call(client, "conversation.draft", draft)
        return page


async def reply_once(path: Path, page: Page, last: int, pipe: int) -> None:
    """The life that is to be killed."""
    steps = Steps(pipe, last)
    async with life(path, steps) as (_, client):
        steps.armed = True
        await page.reply(client)
        steps.armed = False


async def reply_again(path: Path, page: Page) -> dict[str, Any]:
    """The life after it."""
    async with life(path) as (store, client):
        found = await store.read(left)
        statuses = [await page.reply(client) for _ in range(2)]
        broken = await store.read_long(
            lambda conn: [one.promise for one in integrity.check(conn) if one.broken]
        )
        return {"found": found, "statuses": statuses, "left": await store.read(left), "broken": broken}


def left(conn: Connection) -> Left:
    counted = [
        conn.execute(select(func.count()).select_from(table)).scalar_one()
        for table in (channel_tables.replies, inbox_tables.conversation_drafts)
    ]
    return Left(*counted)


def main(directory: Path) -> None:
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    made = directory / "made.db"
    page = trio.run(begin, made)
    for last in count(1):
        path = directory / f"{last}.db"
        shutil.copy(made, path)
        killed, written = forked(partial(reply_once, path, page, last))
        steps = [step for line in written.splitlines() if (step := msgspec.json.decode(line).get("step"))]
        after = trio.run(reply_again, path, page)
        kill = Kill(killed=killed, steps=steps, **after)
        sys.stdout.write(msgspec.json.encode(kill).decode() + "\n")
        if not killed:
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]))
