"""The doors of people: cookies, CSRF tokens, and what each answer reveals."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
import trio

from svc.actors.system import System
from svc.domain.crypto.keys import SESSION, well_formed
from svc.domain.identity.callers import operator_call
from svc.domain.identity.limits import PAIR_FAILURES_MAX
from svc.domain.locale.times import HOUR_MS
from svc.http.app import public_app
from svc.http.identity.exchange import BODY_BYTES_MAX
from svc.http.request.session_cookie import SESSION_COOKIE as COOKIE
from svc.storage import provisioning
from svc.storage.identity import invitations, organizations, sign_in
from svc.storage.identity.organizations import NewOrganization
from tests import tables
from tests.http.asking import client_of
from tests.people import a_member
from tests.town import HASHER, Town, town

PASSWORD = "correct horse battery"
GOOD = {"email": "ada@example.com", "password": PASSWORD}


class Doors(Town):
    system: System
    client: httpx.AsyncClient

    async def ask(
        self, path: str, body: Any = None, csrf: str | None = None, **headers: str
    ) -> httpx.Response:
        given = headers | ({} if csrf is None else {"x-csrf-token": csrf})
        return await self.client.post(f"/app/api/{path}", json=body, headers=given)

    async def signed_in(self) -> str:
        """Sign in, and return the CSRF token."""
        token: str = (await self.ask("sign-in", GOOD)).json()["csrfToken"]
        return token


@asynccontextmanager
async def doors(**how: Any) -> AsyncIterator[Doors]:
    async with town() as here, here.live_system() as system:
        asked = Doors(here.store, here.clock, here.organization)
        asked.system = system
        await here.store.write(
            a_member, here.organization.id, "ada@example.com", password_hash=HASHER.hash(PASSWORD)
        )
        async with client_of(public_app(system, **how)) as asked.client:
            yield asked


async def test_a_person_signs_in(autojump_clock):
    """The cookie has the session, out of reach of scripts; the body has all else."""
    async with doors() as asked:
        answer = await asked.ask("sign-in", GOOD)

        body = answer.json()
        cookie = answer.headers["set-cookie"]
        assert 200 == answer.status_code
        assert ("ada@example.com", "Ada") == (body["person"]["email"], body["person"]["name"])
        assert [("Lamps & Co", "owner")] == [(one["name"], one["role"]) for one in body["organizations"]]
        assert asked.organization.id == body["person"]["homeOrganizationId"]
        assert well_formed(asked.client.cookies[COOKIE], SESSION)
        assert asked.client.cookies[COOKIE] not in answer.text
        assert {"HttpOnly", "Path=/", "SameSite=Lax", "Max-Age=1209600"} < set(cookie.split("; "))
        assert "Expires=Fri, 02 Oct 2026 00:00:00 GMT" in cookie  # by the service's clock
        assert "Secure" not in cookie
        assert "no-store" == answer.headers["cache-control"]


async def test_a_link_signs_in(autojump_clock):
    """Once, and as a password does."""
    async with doors() as asked:
        await asked.signed_in()
        [row] = await asked.rows(tables.sessions)
        link = await asked.store.write(sign_in.make_link, row.person_id)

        first = await asked.ask("sign-in-link", {"token": link.token})
        second = await asked.ask("sign-in-link", {"token": link.token})

        assert (200, "ada@example.com") == (first.status_code, first.json()["person"]["email"])
        assert (401, "wrong_credentials") == (second.status_code, second.json()["code"])


async def test_an_invited_person_signs_up(autojump_clock):
    """With an account of their own, once; a password that is too short uses nothing up."""
    async with doors() as asked:
        call = operator_call(asked.organization.id)
        made = await asked.store.write(invitations.invite, call, "new@example.com", "viewer")
        body = {"token": made.token, "name": "Ned", "password": PASSWORD}

        short = await asked.ask("sign-up", body | {"password": "short"})
        done = await asked.ask("sign-up", body)
        again = await asked.ask("sign-up", body)
        session = await asked.client.get("/app/api/session")

        assert [422, 200, 404] == [one.status_code for one in (short, done, again)]
        assert ("new@example.com", "Ned") == (done.json()["person"]["email"], done.json()["person"]["name"])
        assert ["viewer"] == [one["role"] for one in session.json()["organizations"]]


async def test_a_signed_in_person_accepts_an_invitation(autojump_clock):
    """With their session's token, once, whichever address it was sent to: they hold it."""
    async with doors() as asked:
        other = await asked.store.write(provisioning.create, NewOrganization(name="Other"))
        made = await asked.store.write(
            invitations.invite, operator_call(other.id), "ada@work.example", "admin"
        )
        csrf = await asked.signed_in()

        unguarded = await asked.ask("accept", {"token": made.token})
        accepted = await asked.ask("accept", {"token": made.token}, csrf)
        again = await asked.ask("accept", {"token": made.token}, csrf)

        assert [403, 200, 404] == [one.status_code for one in (unguarded, accepted, again)]
        assert "ada@example.com" == accepted.json()["person"]["email"]
        assert {"Lamps & Co", "Other"} == {one["name"] for one in accepted.json()["organizations"]}


@pytest.mark.parametrize("email", ["ada@example.com", "nobody@example.com", "no address"])
async def test_a_failed_sign_in_reveals_nothing(email, autojump_clock):
    """The problem is the same, whether or not there is such an account, and no cookie is set."""
    async with doors() as asked:
        answer = await asked.ask("sign-in", {"email": email, "password": "wrong"}, **{"x-request-id": "r"})

        assert 401 == answer.status_code
        assert "application/problem+json" == answer.headers["content-type"]
        assert {
            "type": "/problems/wrong_credentials",
            "title": "Wrong e-mail or password",
            "status": 401,
            "code": "wrong_credentials",
            "requestId": "r",
            "detail": "no such account, or another password",
        } == answer.json()
        assert "set-cookie" not in answer.headers


async def test_sign_ins_are_paced(autojump_clock):
    """429, with the time after which it is worth another try."""
    async with doors() as asked:
        for _ in range(PAIR_FAILURES_MAX):
            await asked.ask("sign-in", GOOD | {"password": "wrong"})
        paced = await asked.ask("sign-in", GOOD)
        await trio.sleep(int(paced.headers["retry-after"]))
        after = await asked.ask("sign-in", GOOD)

        assert (429, "rate_limited") == (paced.status_code, paced.json()["code"])
        assert 200 == after.status_code


async def test_a_page_that_was_loaded_anew_finds_its_session(autojump_clock):
    """With the same CSRF token as before; without a session it is 401."""
    async with doors() as asked:
        token = await asked.signed_in()
        found = await asked.client.get("/app/api/session")
        asked.client.cookies.clear()
        none = await asked.client.get("/app/api/session")
        made_up = await asked.client.get("/app/api/session", headers={"cookie": f"{COOKIE}=svcs_x"})

        assert token == found.json()["csrfToken"]
        assert [(401, "unauthorized")] * 2 == [
            (one.status_code, one.json()["code"]) for one in (none, made_up)
        ]


@pytest.mark.parametrize(
    ("path", "body"),
    [("confirm", {"password": PASSWORD}), ("password", {"password": "another password"}), ("sign-out", None)],
)
@pytest.mark.parametrize("csrf", [None, "", "0" * 64, "é"])
async def test_what_changes_something_needs_the_sessions_token(path, body, csrf, autojump_clock):
    """Without it, or with another's, nothing happens."""
    async with doors() as asked:
        await asked.signed_in()
        given = [] if csrf is None else [(b"x-csrf-token", csrf.encode())]
        answer = await asked.client.post(f"/app/api/{path}", json=body, headers=given)

        assert (403, "forbidden") == (answer.status_code, answer.json()["code"])
        assert 200 == (await asked.client.get("/app/api/session")).status_code


async def test_signing_out_ends_the_session(autojump_clock):
    """The session has ended, whatever the browser does with its cookie."""
    async with doors() as asked:
        csrf = await asked.signed_in()
        cookie = asked.client.cookies[COOKIE]
        answer = await asked.ask("sign-out", csrf=csrf)
        again = await asked.client.get("/app/api/session", headers={"cookie": f"{COOKIE}={cookie}"})

        assert 204 == answer.status_code
        assert "Max-Age=0" in answer.headers["set-cookie"]
        assert 401 == again.status_code


async def test_changing_a_password_requires_confirmation(autojump_clock):
    """After two hours it takes the old one first; then the new one counts."""
    async with doors() as asked:
        csrf = await asked.signed_in()
        asked.clock.jump(2 * HOUR_MS)
        early = await asked.ask("password", {"password": "another password"}, csrf)
        wrong = await asked.ask("confirm", {"password": "wrong"}, csrf)
        confirmed = await asked.ask("confirm", {"password": PASSWORD}, csrf)
        short = await asked.ask("password", {"password": "short"}, csrf)
        changed = await asked.ask("password", {"password": "another password"}, csrf)
        again = await asked.ask("sign-in", GOOD | {"password": "another password"})

        assert ["confirmation_required", "wrong_credentials", "validation_failed"] == [
            one.json()["code"] for one in (early, wrong, short)
        ]
        assert [204, 204, 200] == [one.status_code for one in (confirmed, changed, again)]


async def test_a_page_of_another_site_cannot_sign_in(autojump_clock):
    """Neither by a script nor by a form."""
    async with doors() as asked:
        other = await asked.ask("sign-in", GOOD, origin="https://evil.test")
        own = await asked.ask("sign-in", GOOD, origin="http://svc.test")
        form = await asked.client.post("/app/api/sign-in", data=GOOD)

        assert [403, 200, 415] == [one.status_code for one in (other, own, form)]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"", 400, "malformed_json"),
        (b"{", 400, "malformed_json"),
        (b"\xff", 400, "malformed_json"),
        (b'{"email": "\\ud800", "password": "x"}', 422, "validation_failed"),
        (
            b'{"email": "eve@example.com", "email": "ada@example.com", "password": "x"}',
            422,
            "validation_failed",
        ),
        (b"[]", 422, "validation_failed"),
        (b'{"email": "ada@example.com"}', 422, "validation_failed"),
        (b'{"email": 1, "password": "x"}', 422, "validation_failed"),
        (b'{"email": "a", "password": "x", "more": 1}', 422, "validation_failed"),
        (b" " * (BODY_BYTES_MAX + 1), 413, "body_too_large"),
        (b'{"email": "a\\u0000", "password": "\\u0000"}', 401, "wrong_credentials"),
        (b'{"email": "a", "password": "b", "organization": "org_\\u0000"}', 401, "wrong_credentials"),
    ],
)
async def test_what_is_not_understood_is_a_problem(body, status, code, autojump_clock):
    """Nothing that is sent makes the door fail."""
    async with doors() as asked:
        headers = {"content-type": "application/json"}
        answer = await asked.client.post("/app/api/sign-in", content=body, headers=headers)

        assert (status, code) == (answer.status_code, answer.json()["code"])


async def test_what_is_wrong_is_pointed_at(autojump_clock):
    """In the body, as at the doors of tools."""
    async with doors() as asked:
        call = operator_call(asked.organization.id)
        made = await asked.store.write(invitations.invite, call, "grace@example.com", "viewer", ())
        good = {"token": made.token, "name": "Grace", "password": PASSWORD}
        answers = [
            await asked.ask("sign-in", GOOD | {"email": 1}),
            await asked.ask("sign-up", good | {"password": "short"}),
            await asked.ask("sign-up", good | {"name": "\n"}),
            await asked.ask("password", {"password": "short"}, await asked.signed_in()),
        ]

        assert [(422, [pointer]) for pointer in ("/email", "/password", "/name", "/password")] == [
            (one.status_code, [fault["pointer"] for fault in one.json().get("errors", ())]) for one in answers
        ]


async def test_nobody_signs_in_to_a_closed_organization(autojump_clock):
    """A closed organization's people get the answer to a wrong password."""
    async with doors() as asked:
        await asked.store.write(organizations.close, asked.organization.id)

        assert 401 == (await asked.ask("sign-in", GOOD)).status_code


async def test_a_system_that_drains_says_so(autojump_clock):
    """503, with when to come again."""
    async with doors() as asked:
        await asked.system.drain(1)
        answer = await asked.ask("sign-in", GOOD)

        assert (503, "overloaded") == (answer.status_code, answer.json()["code"])
        assert "1" == answer.headers["retry-after"]
