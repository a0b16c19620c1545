"""The operator's application: health, and a view into every actor that shows nothing private."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final, get_args
from urllib.parse import quote

import httpx
import msgspec
import pytest
import trio
import trio.testing
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from svc.actors._core import Actor, Policy, Private, turn
from svc.actors._core.statistics import Phase
from svc.actors._core.tracing import TRACES_MAX
from svc.actors.agent.agent_conversation import AgentConversation, key_of
from svc.actors.backups.backup_keeper import BACKUP_KEEPER, BackupKeeper
from svc.actors.certificates.certificate_keeper import CERTIFICATE_KEEPER, CertificateKeeper
from svc.actors.exports.exporter import Exporter
from svc.actors.imports.importer import Importer
from svc.actors.kinds import KINDS
from svc.actors.mail.mailer import Mailer
from svc.actors.mail.password_resets import PasswordResets
from svc.actors.outbound.client import PostResult
from svc.actors.reconciler import Reconciler
from svc.actors.system import System
from svc.domain.crypto.keys import digest
from svc.domain.identity.callers import operator_call
from svc.domain.net.client_addresses import sender_of, visitor_of
from svc.http.app import public_app
from svc.http.operator.actors import SNAPSHOT_SECONDS, ActorFilter
from svc.http.operator.app import CHECK_SECONDS, operator_app
from svc.storage.embeds import embeds
from svc.storage.forms import server_keys
from svc.storage.identity import api_keys
from svc.storage.identity.api_keys import NewKey
from svc.storage.sites import sites
from tests import tables
from tests.actors.certificates.test_certificate_keeper import Directory
from tests.backups import Place
from tests.channels import Receiver, a_connection, a_reply
from tests.http.asking import ADDRESS, client_of
from tests.http.serving import in_memory
from tests.people import a_member, call_of
from tests.town import SECRETS, submit, town
from tests.webhooks import a_webhook
from tests.workflows import a_document, a_workflow

TOKEN: Final = "a-token-of-the-operator"
BEARER: Final = {"authorization": f"Bearer {TOKEN}"}


class DeskState(msgspec.Struct):
    papers: int
    drawer: Private[str]


class Desk(Actor[System, DeskState]):
    """Does what a test needs to look at."""

    policy = Policy(turn_seconds=600, crashes_max=0)

    async def load(self) -> DeskState:
        return DeskState(papers=3, drawer=Private("a secret"))

    @turn
    async def work(self, seconds: float = 0) -> None:
        await trio.sleep(seconds)

    @turn
    async def burn(self) -> None:
        raise ValueError("a secret")


@asynccontextmanager
async def office() -> AsyncIterator[tuple[System, httpx.AsyncClient]]:
    """A system with desks, and its operator."""
    async with town() as here:
        system = System((*KINDS, Desk), here.store, here.clock, SECRETS)
        async with system.live(), client_of(operator_app(system, TOKEN)) as operator:
            await Reconciler(system, "main").start()
            operator.headers.update(BEARER)
            yield system, operator


async def test_health_needs_no_token(autojump_clock):
    """A program without the token learns whether the service lives and is ready, and no more."""
    async with office() as (_, operator):
        del operator.headers["authorization"]

        health = await operator.get("/healthz")
        readiness = await operator.get("/readyz")

        assert (200, {"ok": True}) == (health.status_code, health.json())
        checks = {"open": {"ok": True}, "store": {"ok": True}, "reconciler": {"ok": True}}
        assert (200, {"ready": True, "checks": checks}) == (readiness.status_code, readiness.json())
        assert "no-store" == readiness.headers["cache-control"]


async def test_a_draining_service_is_not_ready_and_still_healthy(autojump_clock):
    """While it shuts down nothing new should be sent here, and it should not be killed either."""
    async with office() as (system, operator):
        await system.drain(1)

        health = await operator.get("/healthz")
        readiness = await operator.get("/readyz")

        assert 200 == health.status_code
        assert (503, "1") == (readiness.status_code, readiness.headers["retry-after"])
        assert {"ok": False, "why": "shutting down"} == readiness.json()["checks"]["open"]


async def test_without_its_store_the_service_is_not_ready(autojump_clock):
    """A store that takes nothing is named, and its message is not revealed without a token."""
    async with office() as (system, operator):
        await system.store.aclose()

        readiness = await operator.get("/readyz")

        assert 503 == readiness.status_code
        assert {"ok": False, "why": "the service is shutting down"} == readiness.json()["checks"]["store"]


async def test_without_its_reconciler_the_service_is_not_ready(autojump_clock):
    """The check does not start the Reconciler: that is for the start of the service."""
    async with town() as here:
        system = System(KINDS, here.store, here.clock, SECRETS)
        async with system.live(), client_of(operator_app(system, TOKEN)) as operator:
            readiness = await operator.get("/readyz")

            assert 503 == readiness.status_code
            assert {"ok": False, "why": "not started"} == readiness.json()["checks"]["reconciler"]
            assert not system.is_active(Reconciler, "main")


async def test_a_check_that_gets_no_answer_ends(autojump_clock):
    """A Reconciler that crashes whenever it loads costs a check two seconds at most."""
    async with town() as here:
        system = System(KINDS, here.store, here.clock, SECRETS)
        await here.store.write(lambda tx: tables.visitor_keys.drop(tx.conn))
        async with system.live(), client_of(operator_app(system, TOKEN)) as operator:
            Reconciler(system, "main").start.tell()
            await trio.sleep(4)
            before = trio.current_time()

            readiness = await operator.get("/readyz")

            assert {"ok": False, "why": "no answer within 2 s"} == readiness.json()["checks"]["reconciler"]
            assert CHECK_SECONDS == trio.current_time() - before


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": ""},
        {"authorization": "Bearer"},
        {"authorization": "Bearer wrong"},
        {"authorization": f"Bearer {TOKEN}x"},
        {"authorization": f"Basic {TOKEN}"},
        {"authorization": TOKEN},
        {"authorization": "Bearer \xe9"},
    ],
)
@pytest.mark.parametrize(
    "path", ["/debug/actors", "/debug/actors/Desk/1", "/debug/store", "/docs", "/nowhere"]
)
async def test_everything_else_asks_for_the_token(autojump_clock, path, headers):
    """Whatever is wrong with the token, and wherever it leads, the answer is the same to the byte."""
    async with office() as (_, operator):
        del operator.headers["authorization"]
        raw = {name: value.encode("latin-1") for name, value in headers.items()}

        answer = await operator.get(path, headers=raw | {"x-request-id": "1"})

        assert (401, "Bearer") == (answer.status_code, answer.headers["www-authenticate"])
        assert {
            "type": "/problems/unauthorized",
            "title": "A token is needed",
            "status": 401,
            "code": "unauthorized",
            "requestId": "1",
        } == answer.json()


async def test_the_scheme_may_be_in_any_case(autojump_clock):
    """`bearer` is `Bearer` (RFC 9110 section 11.1)."""
    async with office() as (_, operator):
        answer = await operator.get("/debug/store", headers={"authorization": f"bearer {TOKEN}"})

        assert 200 == answer.status_code


async def test_actors_are_listed_with_what_stands_out_first(autojump_clock):
    """Kinds, a total, and the actors in the order that is asked for, at most as many as are asked for."""
    async with office() as (system, operator):
        for number in range(4):
            for _ in range(number):
                await Desk(system, str(number)).work()
        Desk(system, "busy").work.tell(60)
        for _ in range(5):
            Desk(system, "busy").work.tell()
        Desk(system, "stuck").work.tell(600)
        await trio.sleep(10)
        Desk(system, "3").work.tell(60)
        await trio.sleep(1)

        async def keys(**asked: Any) -> list[str]:
            listed = (await operator.get("/debug/actors", params={"kind": "Desk"} | asked)).json()
            assert listed["total"] >= len(listed["actors"])
            return [actor["key"] for actor in listed["actors"]]

        listed = (await operator.get("/debug/actors?kind=Desk&limit=1")).json()
        assert ("busy", 5, "running", "work", 11) == tuple(
            listed["actors"][0][name] for name in ("key", "mailboxDepth", "phase", "turn", "turnAgeSeconds")
        )
        assert (5, 1) == (listed["total"], len(listed["actors"]))
        assert [kind.__name__ for kind in (*KINDS, Desk)] == [kind["kind"] for kind in listed["kinds"]]
        assert {"busy", "stuck", "3"} == set(await keys(phase="running"))
        assert ["busy", "stuck"] == await keys(sort="age", limit=2)
        assert ["3", "2", "1"] == await keys(sort="turns", limit=3)
        unknown = await operator.get("/debug/actors?kind=Desks")
        assert 422 == unknown.status_code
        told = "there is no kind `Desks`; did you mean `Desk`? There are `Desk`, "
        assert unknown.json()["detail"].startswith(told)


@pytest.mark.parametrize(
    "asked", ["limit=0", "limit=201", "limit=many", "sort=name", "phase=asleep", "kinds=Desk"]
)
async def test_an_invalid_filter_is_rejected(autojump_clock, asked):
    """A query that is not understood is a problem, and no list of something else."""
    async with office() as (_, operator):
        answer = await operator.get(f"/debug/actors?{asked}")

        assert (422, "validation_failed") == (answer.status_code, answer.json()["code"])
        assert answer.json()["detail"]


async def test_an_actor_shows_its_state(autojump_clock):
    """The statistics in camelCase, and the state with what is private masked."""
    async with office() as (system, operator):
        await Desk(system, "1").work()

        shown = (await operator.get("/debug/actors/Desk/1")).json()

        assert ({"papers": 3, "drawer": "•••"}, None) == (shown["state"], shown["stateMissing"])
        assert ("Desk", "1", 1, None) == tuple(
            shown["statistics"][name] for name in ("kind", "key", "turns", "lastError")
        )
        assert 1 == sum(bucket["turns"] for bucket in shown["statistics"]["latency"])


async def test_a_stuck_actor_is_shown_without_its_state(autojump_clock):
    """Showing a stuck actor takes a second at most, and sends nothing to its mailbox."""
    async with office() as (system, operator):
        Desk(system, "1").work.tell(300)
        await trio.testing.wait_all_tasks_blocked()
        before = trio.current_time()

        looks = [(await operator.get("/debug/actors/Desk/1")).json() for _ in range(20)]

        for shown in looks:
            assert (None, "no answer within 1 s") == (shown["state"], shown["stateMissing"])
            assert ("running", "work") == (shown["statistics"]["phase"], shown["statistics"]["turn"])
        assert SNAPSHOT_SECONDS == trio.current_time() - before
        assert 1 == looks[-1]["statistics"]["mailboxDepth"]


async def test_a_quarantined_actor_is_shown(autojump_clock):
    """A quarantined actor is listed with the place of its last crash, without the message."""
    async with office() as (system, operator):
        Desk(system, "1").burn.tell()
        await trio.testing.wait_all_tasks_blocked()

        answer = await operator.get("/debug/actors/Desk/1")

        shown = answer.json()
        assert (None, "it is quarantined") == (shown["state"], shown["stateMissing"])
        assert shown["statistics"]["lastError"].startswith("ValueError at test_operator_app.py:")
        assert "a secret" not in answer.text


@pytest.mark.parametrize("path", ["Desk/1", "Desk/", "Nobody/1", "Reconciler/other", "Desk"])
async def test_an_inactive_actor_is_not_found(autojump_clock, path):
    """To look at an actor does not wake it."""
    async with office() as (system, operator):
        answer = await operator.get(f"/debug/actors/{path}")

        assert (404, "not_found") == (answer.status_code, answer.json()["code"])
        assert [] == system.actors("Desk")


@pytest.mark.fuzz
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(key=st.text(min_size=1).map(lambda text: text.encode("utf-8", "replace").decode()))
async def test_a_key_may_be_any_text(autojump_clock, key):
    """Slashes, dots, line breaks: whatever a key has in it, its actor can be looked at."""
    async with office() as (system, _), in_memory(operator_app(system, TOKEN)) as server:
        await Desk(system, key).work()

        head = f"GET /debug/actors/Desk/{quote(key, safe='')} HTTP/1.1\r\nHost: a\r\n"
        client = server.dial()
        reply = await client.ask(f"{head}Authorization: Bearer {TOKEN}\r\n\r\n".encode())
        await client.stream.aclose()

        assert (200, key) == (reply.status, msgspec.json.decode(reply.body)["statistics"]["key"])


async def test_the_store_reports_its_health(autojump_clock):
    """What was committed, and what waits."""
    async with office() as (_, operator):
        told = (await operator.get("/debug/store")).json()

        assert told["units"] > 0
        assert {"queueDepth", "readsWaiting", "commitSecondsMax"} <= told.keys()


async def test_nothing_private_is_shown(autojump_clock, tmp_path):
    """After traffic of all kinds, no actor shows senders, texts, or any secret."""
    async with town() as here, here.live_system() as system:
        await here.store.write(sites.create, here.organization.id, "lamps.example")
        minted = await here.store.write(server_keys.mint, operator_call(here.organization.id), "shop")
        owner = await here.store.write(a_member, here.organization.id, "owner@example.com")
        caller = await here.store.write(
            api_keys.mint, call_of(owner, confirmed_at=here.clock.now()), NewKey(name="A key")
        )
        form = await here.form(field_map={"town": "city"}, deal_title="{{town}}")
        embed = await here.store.write(embeds.create, here.organization.id, name="Prices")
        system.outgoing.http = Receiver(*[PostResult(200, answer="Thanks, Ada")] * 1_000)
        await here.store.write(a_webhook, here.organization.id)
        await here.store.write(a_workflow, call_of(owner), a_document(trigger={"type": "submitted a form"}))
        values = {"name": "Ada Lovelace", "email": "ada@x.example", "phone": "+493012345678", "note": "hush"}
        async with client_of(public_app(system)) as browser:
            await browser.get(f"/api/e/{embed.embed_key}", headers={"x-forwarded-for": "198.51.100.9"})
            await browser.post("/api/t", json={"url": "https://lamps.example/private", "title": "Diary"})
            await browser.post(
                "/app/api/sign-in", json={"email": "bob@x.example", "password": "guessed wrong"}
            )
            await browser.post(
                "/api/f/s",
                json={"f": form.form_key, "v": values},
                headers={"authorization": f"Bearer {minted.key}", "x-visitor-ip": "198.51.100.9"},
            )
            await browser.post(
                "/api/v1/tools/record.list",
                json={"objectType": "contact", "sort": [{"property": "name"}]},
                headers={"authorization": f"Bearer {caller.key}"},
            )
        for number in range(100):
            await submit(system, form, number)
        connection = await here.store.write(a_connection, here.organization.id)
        reply = await here.store.write(a_reply, connection, "chat-1", "Your diagnosis")
        await AgentConversation(system, key_of(here.organization.id, reply.conversation_id)).wake()
        system.certificates = Directory(here.clock)
        await CertificateKeeper(system, CERTIFICATE_KEEPER).start()
        system.backups = Place(tmp_path).backups()
        await BackupKeeper(system, BACKUP_KEEPER).start()
        await Importer(system, here.organization.id).wake()
        await Exporter(system, here.organization.id).wake()
        await Mailer(system, here.organization.id).wake()
        await PasswordResets(system, "main").wake()
        await trio.sleep(1)

        async with client_of(operator_app(system, TOKEN)) as operator:
            operator.headers.update(BEARER)
            listed = await operator.get("/debug/actors?limit=200")
            shown = {
                actor["kind"]: await operator.get(f"/debug/actors/{actor['kind']}/{quote(actor['key'])}")
                for actor in listed.json()["actors"]
            }

        assert {kind.__name__ for kind in KINDS} == shown.keys()
        assert all(isinstance(answer.json()["state"], dict) for answer in shown.values())
        texts = "\n".join([listed.text, *(answer.text for answer in shown.values())])
        day_key = system.sites.visitor_keys[0]
        for private in (
            *values.values(),
            *(
                "bob@x.example",
                "guessed wrong",
                "p1@example.com",
                ADDRESS,
                "198.51.100.9",
                "Diary",
                "/private",
                "Your diagnosis",
                "chat-1",
                "receiver.example",
                "Thanks, Ada",
            ),
            *(minted.key, minted.key[10:], digest(minted.key), TOKEN),
            *(caller.key, caller.key[10:], digest(caller.key), owner.id),
            *(sender_of(address, SECRETS.sender) for address in (ADDRESS, "198.51.100.9", "10.0.0.1")),
            *(visitor_of(address, "test", day_key) for address in (ADDRESS, "198.51.100.9")),
            *(day_key.hex(), SECRETS.sender.hex(), SECRETS.sender.decode()),
        ):
            assert private not in texts


def test_every_query_and_field_is_documented():
    """docs/operator.md names every kind, phase, order and check, and every figure of the store."""
    documented = (Path(__file__).parents[3] / "docs" / "operator.md").read_text()

    for name in (
        *(kind.__name__ for kind in KINDS),
        *ActorFilter.__struct_fields__,
        *get_args(Phase),
        *("mailbox", "age", "turns", "crashes"),
        *("open", "store", "reconciler"),
        *("failure", "failingSeconds"),
        *("queueDepth", "readsWaiting", "batchesFailed", "unitsFailed", "batchUnitsMax", "commitSecondsMax"),
    ):
        assert f"`{name}`" in documented, name


async def test_one_actor_shows_what_it_did_last_and_where_it_stands(autojump_clock):
    """The last turns with their requests, the stack of the running one, and what waits, by name."""
    async with office() as (system, operator):
        await Desk(system, "d").work()
        Desk(system, "d").work.tell(60)
        Desk(system, "d").burn.tell()
        await trio.sleep(2)
        seen = (await operator.get("/debug/actors/Desk/d")).json()

        assert ["work"] == [turn["turn"] for turn in seen["turns"]]
        assert ("ok", 0) == (seen["turns"][0]["outcome"], seen["turns"][0]["runMs"])
        assert system.clock.now() - 2000 == seen["turns"][0]["at"]
        assert any(" in Desk.work" in line for line in seen["stack"])
        assert ({"burn": 1}, None) == (seen["waiting"], seen["crash"])


async def test_a_crash_is_shown_with_the_turns_before_it(autojump_clock):
    """Through the quarantine that follows; and without the message of what was raised."""
    async with office() as (system, operator):
        Desk(system, "d").burn.tell()
        await trio.sleep(1)
        answer = await operator.get("/debug/actors/Desk/d")
        crash = answer.json()["crash"]

        assert "burn" == crash["turn"]
        assert system.clock.now() - 1000 == crash["at"]
        assert crash["error"] == crash["turns"][0]["outcome"]
        assert crash["stack"][0].endswith("in Desk.burn")
        assert "a secret" not in answer.text


async def test_a_trace_has_a_line_for_each_turn_and_one_for_the_actor(autojump_clock):
    """As they end; the last line comes when the turns or the seconds are over."""
    async with office() as (system, operator):
        lines: list[dict[str, Any]] = []

        async def trace() -> None:
            answer = await operator.get("/debug/trace/Desk/d", params={"seconds": 5})
            lines.extend(msgspec.json.decode(line) for line in answer.text.splitlines())

        async with trio.open_nursery() as nursery:
            nursery.start_soon(trace)
            await trio.sleep(1)
            await Desk(system, "d").work(0.5)
            Desk(system, "d").work.tell(60)

        turn, actor = lines
        assert ("work", ["float"], 500, "ok") == tuple(
            turn["turn"][member] for member in ("turn", "arguments", "runMs", "outcome")
        )
        assert ("running", 3.5) == (
            actor["actor"]["statistics"]["phase"],
            actor["actor"]["statistics"]["turnAgeSeconds"],
        )


@pytest.mark.parametrize(
    ("path", "query", "says"),
    [
        ("Desk/d", {"seconds": "61"}, "60"),
        ("Desk/d", {"turns": "0"}, "1"),
        ("Desk/d", {"all": "1"}, "all"),
        ("Desc/d", {}, "Desk"),
    ],
)
async def test_a_trace_that_asks_for_too_much_is_refused(path, query, says, autojump_clock):
    """There is none of everything, and a kind that there is not is told beside the nearest."""
    async with office() as (_, operator):
        answer = await operator.get(f"/debug/trace/{path}", params=query)

        assert 422 == answer.status_code
        assert says in answer.json()["detail"]


async def test_no_more_traces_run_than_may(autojump_clock):
    """The next one is told to come again, before it has begun."""
    async with office() as (system, operator), AsyncExitStack() as stack:
        for number in range(TRACES_MAX):
            stack.enter_context(system.traces.open("Desk", str(number), 1))
        answer = await operator.get("/debug/trace/Desk/d")

        assert 503 == answer.status_code
