"""The operator's tools and commands over the operator's listener, and their errors."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from svc.http.operator.app import operator_app
from tests import tables
from tests.http.asking import client_of
from tests.people import a_member
from tests.tooling import PASSWORD
from tests.town import Town, town

TOKEN = "a-token-of-the-operator"
ORG = "?organization="


@asynccontextmanager
async def office() -> AsyncIterator[tuple[Town, httpx.AsyncClient]]:
    async with town() as here, here.live_system() as system, client_of(operator_app(system, TOKEN)) as client:
        client.headers["authorization"] = f"Bearer {TOKEN}"
        yield here, client


async def test_a_tool_is_run_for_the_operator(autojump_clock):
    """With every permission and no budget; the trail has its request id."""
    async with office() as (here, client):
        where = f"/tools/record_create{ORG}{here.organization.id}"
        asked = {"objectType": "contact", "properties": {"name": "Grace"}}
        answer = await client.post(where, json=asked)
        [row] = await here.rows(tables.audit, action="record.create")

    assert (200, "Grace") == (answer.status_code, answer.json()["properties"]["name"])
    assert ("no-store", "application/json") == tuple(
        answer.headers[name] for name in ("cache-control", "content-type")
    )
    assert ("operator", "cli", answer.headers["x-request-id"]) == (
        row.caller_kind,
        row.door,
        row.request_id,
    )


async def test_a_command_is_run(autojump_clock):
    """What it answers is as the Tool API has it, names in camelCase."""
    async with office() as (here, client):
        home = here.organization.id
        await here.store.write(a_member, home, "ada@example.com")
        asked = {"organizationId": home, "email": "ada@example.com", "name": "A key"}
        answer = await client.post("/commands/apikey.mint", json=asked)

    assert 200 == answer.status_code
    assert {"id", "key", "expiresAt"} == set(answer.json())


async def test_credits_are_given(autojump_clock):
    """By a path of their own; the ledger has the entry, and the trail too."""
    async with office() as (here, client):
        home = here.organization.id
        asked = {"organizationId": home, "amountMicroCredits": 5_000_000, "note": "Welcome"}
        answers = [await client.post("/credits", json=asked) for _ in range(2)]
        refused = await client.post("/credits", json=asked | {"amountMicroCredits": 0.5})
        nothing = await client.post("/credits", json=asked | {"amountMicroCredits": 0})
        unknown = await client.post("/credits", json=asked | {"organizationId": "org_1"})
        unread = await client.get("/credits")
        client.headers.pop("authorization")
        closed = await client.post("/credits", json=asked)
        entries = await here.rows(tables.ledger)
        trail = await here.rows(tables.audit, action="credits.grant")

    assert [(200, 5_000_000), (200, 10_000_000)] == [
        (one.status_code, one.json()["balanceAfterMicroCredits"]) for one in answers
    ]
    assert [("grant", 5_000_000, "Welcome")] * 2 == [(row.kind, row.amount, row.note) for row in entries]
    assert [one.json()["id"] for one in answers] == [row.target for row in trail]
    assert [422, 422, 404, 405, 401] == [
        one.status_code for one in (refused, nothing, unknown, unread, closed)
    ]


@pytest.mark.parametrize(
    ("path", "body", "expected", "said"),
    [
        ("/commands/setpu", b"{}", (404, "not_found"), "did you mean `setup`"),
        ("/commands/setup", b"{}", (422, "validation_failed"), "organization"),
        ("/commands/setup", b"{", (400, "malformed_json"), ""),
        ("/commands/organization.close", b'{"organizationId": "org_0"}', (404, "not_found"), "organization"),
        (f"/tools/record.creat{ORG}$", b"{}", (404, "unknown_tool"), "did you mean `record.create`"),
        (f"/tools/record.create{ORG}$", b'{"a": 1, "a": 2}', (422, "validation_failed"), "twice"),
        (f"/tools/record.create{ORG}org_0", b"{}", (404, "not_found"), "no such organization"),
        ("/tools/record.create", b"{}", (422, "validation_failed"), "`organization`"),
        (f"/tools/record.create{ORG}$", b" " * 1_000_001, (413, "body_too_large"), ""),
        (f"/tools/apikey.mint{ORG}$", b'{"name": "X"}', (403, "person_only"), "sign in"),
    ],
)
async def test_what_cannot_be_done_is_a_problem(path, body, expected, said, autojump_clock):
    """As at the Tool API, with what to change."""
    async with office() as (here, client):
        answer = await client.post(path.replace("$", here.organization.id), content=body)

    assert expected == (answer.status_code, answer.json()["code"])
    assert said in answer.text


@pytest.mark.parametrize("path", ["/commands/setup", "/tools/record.list", "/commands/nothing"])
async def test_without_the_token_nothing_is_revealed(path, autojump_clock):
    """Neither whether there is such a command, nor anything else."""
    async with office() as (_, client):
        answers = [
            await client.post(path, json={}, headers={"authorization": given})
            for given in ("", "Bearer x", f"Basic {TOKEN}", f"Bearer {PASSWORD}")
        ]

    assert {401} == {one.status_code for one in answers}


async def test_a_page_of_a_browser_cannot_run_a_command(autojump_clock):
    """A link is no command, since it is asked for with GET."""
    async with office() as (_, client):
        answer = await client.get("/commands/setup")

    assert (405, "OPTIONS, POST") == (answer.status_code, answer.headers["allow"])
