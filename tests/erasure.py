"""People for tests of erasures: a town in which several leave traces wherever a person can."""

import random
import sqlite3
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, Final

import msgspec
import trio
from sqlalchemy import Connection

from svc.actors.outbound.client import PostResult
from svc.cli.data_directory import DataDirectory
from svc.domain.sites.visits import PageView
from svc.storage.approvals import approvals
from svc.storage.files.directory import put
from svc.storage.forms import search_blocks
from svc.storage.migrations import migrate
from svc.storage.sites import sites, visits
from svc.storage.sqlite.engine import raw
from svc.storage.store import Tx
from tests.agents import CATALOGUE, AgentTown, Model, answering
from tests.approvals import agent_call, asked_in
from tests.channels import Receiver
from tests.tooling import ToolTown, _tools
from tests.town import town
from tests.webhooks import a_webhook

BLOCK_ROWS: Final = 2
"""Submissions in a block for searches, so that there are several blocks."""


class Somebody(msgspec.Struct, frozen=True, kw_only=True):
    """A person, with all that tells them."""

    name: str
    email: str
    phone: str
    written_phone: str
    """The same number as people write it."""
    old_email: str
    secret: str
    """What nobody else says, in what is the person's own."""

    @property
    def marks(self) -> list[str]:
        """What must be found nowhere."""
        return [
            *(self.name, self.email, self.email.replace("@", "%40"), self.phone, self.written_phone),
            *(self.old_email, self.secret),
        ]


PEOPLE: Final = (
    Somebody(
        name="Adelaide Quill",
        email="ada.quill@example.com",
        phone="+4930123456",
        written_phone="030 / 123 456",
        old_email="adelaide@old-quill.example",
        secret="brass-lamp-of-my-aunt",
    ),
    Somebody(
        name="Zoë Ångström",
        email="zoe@example.com",
        phone="+4930654321",
        written_phone="(030) 654-321",
        old_email="zoe@old-angstrom.example",
        secret="lantern-with-a-crack",
    ),
    Somebody(
        name="Bo Lindqvist Berg",
        email="bo@example.com",
        phone="+4930777888",
        written_phone="+49 30 777 888",
        old_email="bo@old-berg.example",
        secret="twelve-blue-shades",
    ),
)


@asynccontextmanager
async def inhabited(seed: int) -> AsyncIterator[ToolTown]:
    """A town in which all of `PEOPLE` have left their traces, in an order that follows from *seed*."""
    order = random.Random(seed)
    model = Model()
    echoing = Receiver(*[PostResult(status=200, answer=f"thanks, {one.name}, {one.email}") for one in PEOPLE])
    async with town() as here:
        here.models, here.upstreams, here.outbound_http = CATALOGUE, model, echoing
        async with here.live_system() as system, _tools(here, system) as made:
            await made.store.write(a_webhook, made.organization.id)
            agents = await answering(made, model)
            await _prepare(made)
            everything = [(one, act) for one in PEOPLE for act in _ACTS]
            order.shuffle(everything)
            for one, act in sorted(everything, key=lambda both: _ACTS.index(both[1]) // 3):
                await act(agents, one)
                await trio.sleep(1)
            await trio.sleep(60)
            while await made.store.write(search_blocks.build, made.organization.id, BLOCK_ROWS):
                pass
            yield made


async def _prepare(here: ToolTown) -> None:
    form = await here.answer("form.create", {"name": "Contact", "dealTitle": "Lamp for {{name}}"})
    here.form_key = form["formKey"]  # type: ignore[attr-defined]
    steps = [{"key": "note", "type": "add_note", "body": "Greet {{record.name}} at {{record.email}}"}]
    made = await here.answer(
        "workflow.create",
        {"name": "Greet", "trigger": {"type": "record.created", "objectType": "contact"}, "steps": steps},
    )
    await here.answer("workflow.enable", {"id": made["id"]})
    here.site = await here.store.write(sites.create, here.organization.id, "quill-lamps.example")  # type: ignore[attr-defined]


async def _submits(agents: AgentTown, one: Somebody) -> None:
    """A form, filed."""
    await _post(agents.here, name=one.name, email=one.email, phone=one.written_phone, message=one.secret)


async def _is_noted(agents: AgentTown, one: Somebody) -> None:
    """A note under an idempotency key, and a request id, that have the address."""
    contact = await _contact(agents.here, one)
    await agents.here.call(
        "note.create",
        {"recordId": contact, "title": one.name, "body": f"{one.secret}, or {one.written_phone}"},
        idempotency_key=f"note-{one.email}",
        x_request_id=f"import-{one.email}",
    )


async def _chats(agents: AgentTown, one: Somebody) -> None:
    """A message, which the agent answers with an echo."""
    await agents.say(
        f"I am {one.name}, {one.secret}: call {one.written_phone}",
        chat=f"chat {one.phone}",
        sender={"name": one.name, "email": one.email, "username": one.email.partition("@")[0]},
        attachments=[
            {"kind": "contact", "data": {"card": f"TEL:{one.phone}"}},
            {
                "kind": "file",
                "name": f"{one.name}.txt",
                "data": b64encode(f"{one.secret} of {one.email}".encode()).decode(),
            },
        ],
    )
    await trio.sleep(10)


async def _submits_again(agents: AgentTown, one: Somebody) -> None:
    """A form with another value, which becomes a suggestion."""
    await _post(agents.here, name=f"{one.name} II", email=one.email, message=f"{one.secret} again")


async def _is_held(agents: AgentTown, one: Somebody) -> None:
    """A form with the phone and another e-mail, which is held."""
    await _post(agents.here, email=f"other-{one.email}", phone=one.phone, message=one.secret)


async def _is_changed(agents: AgentTown, one: Somebody) -> None:
    """Changes that the history keeps: another e-mail, and back."""
    contact = await _contact(agents.here, one)
    for email in (one.old_email, one.email):
        await agents.here.answer("record.update", {"id": contact, "properties": {"email": email}})


async def _is_watched(agents: AgentTown, one: Somebody) -> None:
    """A view with the address in a filter, and page views with it in their addresses."""
    here = agents.here
    filters = [
        {"property": "email", "op": "eq", "value": one.email},
        {"property": "city", "op": "eq", "value": "Leeds"},
    ]
    body = {
        "name": f"All of {one.name}",
        "tool": "record.list",
        "input": {"objectType": "contact", "filters": filters},
    }
    await agents.person("view.create", body)
    contact = await _contact(here, one)
    await here.store.write(_visit, here, one, contact)


async def _is_merged(agents: AgentTown, one: Somebody) -> None:
    """A second contact of the same person, merged into the first; and one that was deleted."""
    here = agents.here
    survivor = await _contact(here, one)
    for place in ("merge", "delete"):
        properties = {"name": one.name, "email": f"{place}-{one.old_email}", "city": one.secret}
        made = await here.answer("record.create", {"objectType": "contact", "properties": properties})
        if place == "merge":
            await agents.person("record.merge", {"id": survivor, "mergedId": made["id"]})
        else:
            properties = {"phone": one.phone}
            await here.answer("record.update", {"id": made["id"], "properties": properties})
            await agents.person("record.delete", {"id": made["id"]})


async def _is_asked_for(agents: AgentTown, one: Somebody) -> None:
    """A card of an agent about the contact, in another conversation; and what others say of the person."""
    here = agents.here
    contact = await _contact(here, one)
    await here.store.write(_card, here.organization.id, contact, one)
    other = PEOPLE[(PEOPLE.index(one) + 1) % len(PEOPLE)]
    body = {"recordId": await _contact(here, other), "body": f"Ask {one.name.upper()} ({one.email}) about it"}
    await here.answer("note.create", body)
    await agents.person("member.invite", {"email": one.email, "role": "viewer"})


_ACTS: Final = (
    _submits,
    _submits,
    _chats,
    _is_noted,
    _submits_again,
    _is_held,
    _is_changed,
    _is_watched,
    _is_merged,
    _is_asked_for,
)


async def _post(here: Any, **values: str) -> None:
    answer = await here.client.post("/api/f/s", json={"f": here.form_key, "v": values})
    assert 200 == answer.status_code, answer.text
    await trio.sleep(15)


async def _contact(here: ToolTown, one: Somebody) -> str:
    filters = [{"property": "phone", "op": "eq", "value": one.phone}]
    page = await here.answer("record.list", {"objectType": "contact", "filters": filters})
    id_: str = page["records"][0]["id"]
    return id_


def _visit(tx: Tx, here: Any, one: Somebody, contact: str) -> None:
    address = f"https://quill-lamps.example/?email={one.email.replace('@', '%40')}"
    for visitor, who in (("v" * 32, contact), ("w" * 32, None)):
        visits.create(
            tx,
            [here.site],
            visitor + contact,
            PageView(host="quill-lamps.example", url=address, referrer=None, title=one.name),
        )
        if who is not None:
            visits.attach(tx.conn, here.organization.id, [(visitor + contact, who)])


def _card(tx: Tx, organization_id: str, contact: str, one: Somebody) -> None:
    asked_by = asked_in(tx, organization_id, chat="chat of the team")
    body = msgspec.json.encode({"id": contact, "why": one.secret})
    reason = f"{one.name.split()[0]} asks for it"
    approvals.ask(tx, agent_call(organization_id), asked_by, "record.delete", body, reason=reason)


async def moved_out(here: ToolTown, path: Path) -> DataDirectory:
    """A data directory at *path* with what the town has, for the command line."""
    directory = DataDirectory(path)
    directory.make()
    directory.open_key()
    content = await here.store.read(lambda conn: raw(conn).serialize())
    organization_id = here.organization.id
    for digest in await here.system.files.contents.digests(organization_id):
        async with here.system.files.contents.open(organization_id, digest) as opened:
            put(directory.files, organization_id, await opened.read(0, 1_000_000))
    directory.database.write_bytes(content)
    directory.database.chmod(0o600)
    with closing(sqlite3.connect(directory.database)) as conn, conn:
        conn.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
        conn.execute("INSERT INTO alembic_version VALUES (?)", (migrate.known_revisions()[-1],))
    return directory


def rows_of(conn: sqlite3.Connection | Connection, *tables: str) -> dict[str, list[str]]:
    """Every row of every table, or of some, as text."""
    connection = conn if isinstance(conn, sqlite3.Connection) else raw(conn)
    names = tables or tuple(
        name
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        if not name.startswith(("sqlite_", "search_index"))
    )
    return {name: [repr(row) for row in connection.execute(f"SELECT * FROM {name}")] for name in names}  # noqa: S608
