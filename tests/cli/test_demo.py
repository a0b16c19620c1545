"""The demo's shop: believable, whole, opened once, and never over anything else."""

import json
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import Connection, Table, func, select

from svc.actors.kinds import KINDS
from svc.actors.system import Secrets, System
from svc.cli.data_directory import DataDirectory
from svc.cli.demo_files import (
    DemoFacts,
    open_demo,
    read_facts,
    refuse_other_data,
    welcome,
    write_files,
)
from svc.cli.failures import Failure
from svc.cli.serving.endpoints import Endpoints
from svc.clock import VirtualClock
from svc.config.settings import Secret
from svc.domain.crypto.sealing import Sealer
from svc.domain.embeds import html_fragment as embed_fragment
from svc.domain.net.origins import origin_allowed
from svc.http.app import public_app
from svc.storage import provisioning
from svc.storage.channels import tables as channels_tables
from svc.storage.embeds import views as embed_views
from svc.storage.forms import forms
from svc.storage.identity import organizations
from svc.storage.identity.organizations import NewOrganization
from svc.storage.sqlite.inline import inline_store
from svc.storage.sqlite.store import open_store
from svc.storage.store import Store, Tx
from tests import tables
from tests.cli.conftest import Svc
from tests.http.asking import client_of
from tests.storage.keeping import KEPT

START = 1_790_000_000_000
SENDER_SECRET = b"s" * 32
SEALER = Sealer(b"k" * 32)


def doors(port: int) -> Endpoints:
    return Endpoints(
        public_urls=(f"http://127.0.0.1:{port}",),
        operator_urls=(f"http://127.0.0.1:{port + 1}",),
        operator_token=Secret(f"the-operators-token-{port}"),
    )


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    async with inline_store(VirtualClock(START), sealer=SEALER) as opened:
        yield opened


@pytest.fixture
def directory(data: Path) -> DataDirectory:
    made = DataDirectory(data)
    made.make()
    return made


async def opened(directory: DataDirectory, store: Store, port: int = 8000) -> DemoFacts:
    return await open_demo(directory, store, SENDER_SECRET, doors(port), "127.0.0.1")


async def count(store: Store, table: Table) -> int:
    def counted(conn: Connection) -> int:
        return conn.execute(select(func.count()).select_from(table)).scalar_one()

    return await store.read(counted)


async def test_the_shop_has_something_of_everything(directory: DataDirectory, store: Store) -> None:
    """Submissions that were filed and held, a suggestion, deals, and visits that led to a contact."""
    facts = await opened(directory, store)

    def outcomes(conn: Connection) -> list[tuple[str, str | None]]:
        submissions = tables.submissions
        rows = select(submissions.c.state, submissions.c.held_reason).order_by(submissions.c.id)
        return list(conn.execute(rows).tuples())

    def attached(conn: Connection) -> list[str | None]:
        return list(conn.scalars(select(tables.visits.c.record_id)))

    assert [
        ("filed", None),
        ("filed", None),
        ("held", "similar"),
        ("held", "spam"),
        ("filed", None),
    ] == await store.read(outcomes)
    assert 2 == await count(store, tables.suggestions)
    assert [True, True] == [one is not None for one in await store.read(attached)]
    assert "Harbour Lamps" == (await store.read(organizations.get, facts.organization_id)).name


async def test_its_connections_are_of_messengers_that_people_know(
    directory: DataDirectory, store: Store
) -> None:
    """One that is named after its messenger is of that one; none is of another without a name."""
    await opened(directory, store)

    def known(conn: Connection) -> list[tuple[str, str]]:
        connections = channels_tables.connections
        return list(conn.execute(select(connections.c.name, connections.c.messenger)).tuples())

    found = await store.read(known)
    assert found
    assert "other" not in {messenger for _, messenger in found}
    named = [(name, messenger) for name, messenger in found if name.startswith("Shop on ")]
    assert [name.removeprefix("Shop on ").lower() for name, _ in named] == [one for _, one in named]


async def test_one_form_is_bound_and_one_is_not(directory: DataDirectory, store: Store) -> None:
    """The bound one takes what comes from the demo itself; both have a mapping, a deal and a honeypot."""
    facts = await opened(directory, store)
    unbound = await store.read(forms.by_key, facts.form_key)
    bound = await store.read(forms.by_key, facts.bound_form_key)

    assert (None, facts.site_domain) == (unbound.domain, bound.domain)
    assert origin_allowed(facts.base_url, bound.domain)
    assert not origin_allowed("https://elsewhere.example", bound.domain)
    for form in (unbound, bound):
        assert form.field_map
        assert form.deal_title
        assert form.honeypot


async def test_there_is_an_embed_of_each_kind(directory: DataDirectory, store: Store) -> None:
    """One is for any site, one is bound to the demo's own, one is paused; both that are open show lamps."""
    facts = await opened(directory, store)
    keys = (facts.embed_key, facts.bound_embed_key, facts.paused_embed_key)
    found = [await store.read(embed_views.by_key, key, START) for key in keys]

    assert [None, facts.site_domain, None] == [embed.domain for embed, _ in found]
    assert ["active", "active", "paused"] == [embed.status for embed, _ in found]
    shown_now = [embed_fragment.to_html(shown.views, "") for _, shown in found if shown is not None]
    assert 2 == len(shown_now)
    assert all("Skerry wall light" in html and "£95.00" in html for html in shown_now)


async def test_the_facts_are_written_for_programs(directory: DataDirectory, store: Store) -> None:
    """`demo.json` has the members that the outside counts on, and only its owner can read it."""
    facts = await opened(directory, store)

    assert {
        "baseUrl": "http://127.0.0.1:8000",
        "operatorUrl": "http://127.0.0.1:8001",
        "operatorToken": "the-operators-token-8000",
        "owner": {"email": "maren@harbour-lamps.example", "password": facts.owner.password},
        "organizationId": facts.organization_id,
        "apiKey": facts.api_key,
        "viewerKey": facts.viewer_key,
        "gatewayKey": facts.gateway_key,
        "siteDomain": "127.0.0.1",
        "formKey": facts.form_key,
        "boundFormKey": facts.bound_form_key,
        "serverKey": facts.server_key,
        "pullConnection": {
            "id": facts.pull_connection.id,
            "channelKey": facts.pull_connection.channel_key,
        },
        "pushConnection": {
            "id": facts.push_connection.id,
            "channelKey": facts.push_connection.channel_key,
            "signingSecret": facts.push_connection.signing_secret,
            "bridgeUrl": "http://127.0.0.1:8002/pushes",
        },
        "embedKey": facts.embed_key,
        "boundEmbedKey": facts.bound_embed_key,
        "pausedEmbedKey": facts.paused_embed_key,
        "exampleIds": facts.example_ids,
    } == json.loads(directory.demo.read_bytes())
    assert 0o600 == directory.demo.stat().st_mode & 0o777


async def test_the_facts_are_written_for_shells(directory: DataDirectory, store: Store) -> None:
    """`demo.env` exports what the examples of the guides name, and only its owner can read it."""
    facts = await opened(directory, store)
    lines = directory.demo_environment.read_text().splitlines()

    assert all(line.startswith("export SVC_") for line in lines)
    assert {f"export SVC_KEY={facts.api_key}", f"export SVC_FORM_KEY={facts.form_key}"} <= {*lines}
    assert 0o600 == directory.demo_environment.stat().st_mode & 0o777


async def test_the_records_were_made_by_tools(directory: DataDirectory, store: Store) -> None:
    """By the owner, some a day, as the trail has it; the lamps are an object of the shop's own."""
    facts = await opened(directory, store)

    def made(conn: Connection) -> dict[str, int]:
        slug = tables.objects.c.slug
        rows = select(slug, func.count()).join(
            tables.records, tables.records.c.object_id == tables.objects.c.id
        )
        return dict(conn.execute(rows.group_by(slug)).tuples().all())

    def trail(conn: Connection) -> list[tuple[str, int, str]]:
        column = tables.audit.c
        rows = select(column.caller_kind, func.count(), tables.people.c.email)
        return list(
            conn.execute(
                rows.join(tables.people, tables.people.c.id == column.person_id)
                .where(column.action == "record.create")
                .group_by(column.caller_kind)
            ).tuples()
        )

    found = await store.read(made)
    assert {"company": 6, "lamp": 8} == {slug: found[slug] for slug in ("company", "lamp")}
    assert found["contact"] > 12
    assert found["deal"] > 7
    trails = [("person", 41, facts.owner.email), ("workflow", 3, facts.owner.email)]
    assert trails == await store.read(trail)


async def test_a_second_start_finds_the_same_shop(directory: DataDirectory, store: Store) -> None:
    """Nothing is made twice; the addresses and the token are those of this start."""
    first = await opened(directory, store)
    second = await opened(directory, store, port=9000)

    assert 1 == await count(store, tables.organizations)
    assert (
        msgspec.structs.replace(
            first,
            base_url="http://127.0.0.1:9000",
            operator_url="http://127.0.0.1:9001",
            operator_token="the-operators-token-9000",
        )
        == second
    )


class Killed(Exception):
    """Stands for the end of the process at this point."""


@pytest.mark.parametrize("committed", [False, True])
async def test_a_first_start_that_was_killed_is_continued(
    directory: DataDirectory, store: Store, monkeypatch: pytest.MonkeyPatch, committed: bool
) -> None:
    """Before its commit or after: the next start has one shop, and the keys of that shop."""

    write = store.write

    async def killed(create: Callable[..., object], *args: object) -> None:
        def unit(tx: Tx) -> None:
            create(tx, *args)
            if not committed:
                raise Killed

        await write(unit)
        raise Killed

    with monkeypatch.context() as first_start:
        first_start.setattr(store, "write", killed)
        with pytest.raises(Killed):
            await opened(directory, store)
    facts = await opened(directory, store)

    assert 1 == await count(store, tables.organizations)
    assert facts == read_facts(directory)
    assert "Harbour Lamps" == (await store.read(organizations.get, facts.organization_id)).name
    assert facts.form_key == (await store.read(forms.by_key, facts.form_key)).form_key


async def test_facts_of_a_shop_that_is_gone_are_replaced(directory: DataDirectory, store: Store) -> None:
    """A `demo.json` beside an empty database is an old one."""
    async with inline_store(VirtualClock(START), sealer=SEALER) as gone:
        old = await opened(directory, gone)

    new = await opened(directory, store)

    assert old.organization_id != new.organization_id
    assert new.form_key in directory.demo.read_text()


async def test_other_data_is_left_alone(directory: DataDirectory, store: Store) -> None:
    """An organization that is not the demo's stays the only one, whatever `demo.json` says."""
    async with inline_store(VirtualClock(START), sealer=SEALER) as gone:
        await opened(directory, gone)
    await store.write(provisioning.create, NewOrganization(name="A real shop"))

    with pytest.raises(Failure, match="holds data that is not the demo's"):
        await opened(directory, store)
    assert 1 == await count(store, tables.organizations)


async def test_its_own_demo_of_an_older_version_is_opened(directory: DataDirectory, store: Store) -> None:
    """`demo.json` identifies it, before and after the data is migrated."""
    with closing(sqlite3.connect(directory.database)) as old:
        old.executescript((KEPT / "0004.sql").read_text())
        [(organization_id,), *_] = old.execute("SELECT id FROM organizations ORDER BY id")
    facts = msgspec.structs.replace(await opened(directory, store), organization_id=organization_id)
    write_files(directory, facts, doors(8000))

    refuse_other_data(directory)

    async with open_store(directory.database, VirtualClock(START), sealer=SEALER) as migrated:
        assert facts == await opened(directory, migrated)


@pytest.mark.parametrize(
    "left",
    [
        (),
        ("secret.key", "operator.token", ".demo.json.new"),
        ("secret.key", "svc.db", "svc.db-wal", "svc.db.lock", "lost+found"),
    ],
)
def test_what_a_first_start_left_is_its_own(directory: DataDirectory, left: tuple[str, ...]) -> None:
    """It begins with files of the service and an empty database; or with a directory still to be made."""
    for name in left:
        (directory.path / name).touch()
    refuse_other_data(directory)

    if "svc.db" in left:
        with closing(sqlite3.connect(directory.database)) as empty:
            empty.execute("PRAGMA journal_mode = WAL")
        refuse_other_data(directory)
    refuse_other_data(DataDirectory(directory.path / "missing"))


def test_a_database_of_another_program_is_left_alone(directory: DataDirectory) -> None:
    """Whatever it is called, and whether it is a database at all."""
    with closing(sqlite3.connect(directory.database)) as other:
        other.execute("CREATE TABLE songs (title TEXT)")
    with pytest.raises(Failure, match="none of this program's databases"):
        refuse_other_data(directory)

    directory.database.write_bytes(b"no database at all" * 100)
    with pytest.raises(Failure, match="cannot be read: file is not a database"):
        refuse_other_data(directory)


async def test_the_welcome_is_short_and_has_no_blanks_to_fill_in(
    directory: DataDirectory, store: Store
) -> None:
    """What to open comes first; then two lines for curl, with this demo's own addresses and keys in them."""
    facts = await opened(directory, store)
    lines = welcome(directory, facts, "the-token-file").splitlines()
    curls = [one for one in lines if one.startswith("curl ")]

    assert len(lines) <= 12
    assert f"Open first  {facts.base_url}/" == lines[0].partition("  the ")[0].rstrip()
    assert all(curl.startswith("curl -w '\\n' ") for curl in curls)
    submission, call = curls
    assert f"{facts.base_url}/api/f/s" in submission
    assert facts.form_key in submission
    assert f"{facts.base_url}/api/v1/tools/record.list" in call
    assert facts.api_key in call
    assert not {facts.operator_token, facts.owner.password} & {*" ".join(lines).split()}
    assert any("the-token-file" in line for line in lines)
    assert any(" demo-messenger --data " in line for line in lines)


async def test_the_keys_open_what_they_are_for(directory: DataDirectory, store: Store) -> None:
    """All tools, those that read, none at all; and the owner signs in."""
    facts = await opened(directory, store)
    ada = {"objectType": "contact", "properties": {"name": "Ada"}}
    system = System(KINDS, store, VirtualClock(START), Secrets(sender=SENDER_SECRET, sealing=SENDER_SECRET))
    async with system.live(), client_of(public_app(system)) as client:
        statuses = {}
        for name in ("api_key", "viewer_key", "gateway_key"):
            key = {"authorization": f"Bearer {getattr(facts, name)}"}
            made = await client.post("/api/v1/tools/record.create", json=ada, headers=key)
            shown = await client.post(
                "/api/v1/tools/record.get", json={"objectType": "contact", "id": "rec_1"}, headers=key
            )
            statuses[name] = (made.status_code, shown.status_code)
        signed_in = await client.post("/app/api/sign-in", json=msgspec.structs.asdict(facts.owner))

    assert {"api_key": (200, 404), "viewer_key": (403, 404), "gateway_key": (403, 403)} == statuses
    assert [(facts.organization_id, "owner")] == [
        (one["id"], one["role"]) for one in signed_in.json()["organizations"]
    ]


def test_the_shop_keeps_every_promise(svc: Svc, demo: Path) -> None:
    """What was made by hand is as whole as what comes in by the doors."""
    assert 0 == svc("check").exit_code
