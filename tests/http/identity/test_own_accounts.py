"""What people do with their own accounts: where they are signed in, and what they are called."""

import pytest

from svc.domain.identity.callers import operator_call
from svc.domain.identity.limits import NAME_CHARS_MAX, SESSION_IDLE_MS
from svc.domain.net.client_addresses import parse_networks
from svc.storage import provisioning
from svc.storage.identity import invitations, sign_in
from svc.storage.identity.organizations import NewOrganization
from svc.storage.schema import Stays, table_facts
from tests import tables
from tests.http.asking import ADDRESS
from tests.http.identity.test_people import Doors, doors
from tests.people import a_member
from tests.pruning import prune

MINUTE_MS = 60_000


async def browsers(asked: Doors, *names: str) -> list[tuple[dict[str, str], str]]:
    """Sign in with a browser of each name; the cookies and the CSRF token of each."""
    signed_in = []
    for name in names:
        asked.client.cookies.clear()
        asked.client.headers["user-agent"] = name
        csrf = await asked.signed_in()
        signed_in.append((dict(asked.client.cookies), csrf))
        asked.clock.jump(MINUTE_MS)
    return signed_in


def use(asked: Doors, cookies: dict[str, str]) -> None:
    asked.client.cookies.clear()
    asked.client.cookies.update(cookies)


async def listed(asked: Doors) -> list[tuple[str, bool]]:
    answer = await asked.client.get("/app/api/sessions")
    assert 200 == answer.status_code
    assert "no-store" == answer.headers["cache-control"]
    return [(one["userAgent"], one["current"]) for one in answer.json()["sessions"]]


async def test_a_person_sees_where_they_are_signed_in(autojump_clock):
    """The newest first, with the one that asks; not those of others, and no token of any."""
    async with doors() as asked:
        (desk, _), (phone, _) = await browsers(asked, "desk", "phone")
        await asked.store.write(a_member, asked.organization.id, "bob@example.com")
        use(asked, desk)
        answer = await asked.client.get("/app/api/sessions")
        sessions = answer.json()["sessions"]
        use(asked, phone)

        assert [("phone", True), ("desk", False)] == await listed(asked)
    assert [False, True] == [one["current"] for one in sessions]
    assert {"id", "createdAt", "seenAt", "userAgent", "lastAddress", "current"} == sessions[0].keys()
    assert ("2026-09-18T00:01:00.000Z", "2026-09-18T00:00:00.000Z") == (
        sessions[0]["createdAt"],
        sessions[1]["createdAt"],
    )
    assert not [one for one in (*desk.values(), *phone.values()) if one in answer.text]


async def test_a_session_says_where_it_was_used_last(autojump_clock):
    """From the sign-in on, and by a call of a tool a minute later; behind a proxy it is the browser's."""
    async with doors(trusted_proxies=parse_networks((f"{ADDRESS}/32",))) as asked:
        asked.client.headers["x-forwarded-for"] = "203.0.113.7"
        csrf = await asked.signed_in()
        addresses = [await last_addresses(asked)]
        for address, pause in (("198.51.100.23", 1), ("2001:db8::5", MINUTE_MS)):
            asked.clock.jump(pause)
            asked.client.headers["x-forwarded-for"] = address
            assert 200 == (await asked.ask("tools/organization.get", {}, csrf)).status_code
            addresses.append(await last_addresses(asked))

        assert [["203.0.113.7"], ["203.0.113.7"], ["2001:db8::5"]] == addresses


async def test_an_address_is_gone_with_its_session(autojump_clock):
    """Whether it is ended, or has ended by not being used; the row stays without it."""
    async with doors() as asked:
        csrf = await asked.signed_in()
        await asked.ask("sign-out", {}, csrf)
        [ended] = await asked.rows(tables.sessions)
        await asked.signed_in()
        asked.clock.jump(SESSION_IDLE_MS - 1)
        await asked.store.write(prune)
        [_, lives] = await asked.rows(tables.sessions)
        asked.clock.jump(1)
        await asked.store.write(prune)
        [_, idle] = await asked.rows(tables.sessions)

    assert [None, True, None] == [ended.last_address, bool(lives.last_address), idle.last_address]


async def test_nobody_else_is_told_an_address(autojump_clock):
    """It is in none of the answers about a member, for an Owner either, nor in an export."""
    async with doors() as asked:
        csrf = await asked.signed_in()
        [row] = await asked.rows(tables.sessions)
        told = [await asked.ask(f"tools/{tool}", {}, csrf) for tool in ("member.list", "audit.list")]
        answers = [(await asked.client.get("/app/api/session")).text, *(answer.text for answer in told)]

    assert row.last_address
    assert not [answer for answer in answers if row.last_address in answer]
    assert isinstance(table_facts(tables.sessions).leaves, Stays)


async def last_addresses(asked: Doors) -> list[str]:
    answer = await asked.client.get("/app/api/sessions")
    return [one["lastAddress"] for one in answer.json()["sessions"]]


async def test_one_session_is_ended(autojump_clock):
    """At once; its browser is signed out, the others are not."""
    async with doors() as asked:
        (desk, csrf), (phone, _) = await browsers(asked, "desk", "phone")
        use(asked, desk)
        [other] = [
            one["id"]
            for one in (await asked.client.get("/app/api/sessions")).json()["sessions"]
            if not one["current"]
        ]
        unguarded = await asked.ask("sessions/revoke", {"id": other})
        ended = await asked.ask("sessions/revoke", {"id": other}, csrf)
        again = await asked.ask("sessions/revoke", {"id": other}, csrf)
        use(asked, phone)
        out = await asked.client.get("/app/api/session")
        use(asked, desk)

        assert [403, 204, 404, 401] == [one.status_code for one in (unguarded, ended, again, out)]
        assert [("desk", True)] == await listed(asked)


async def test_all_others_are_ended(autojump_clock):
    """And the one that asks goes on."""
    async with doors() as asked:
        *others, (last, csrf) = await browsers(asked, "desk", "phone", "tablet")
        use(asked, last)
        ended = await asked.ask("sessions/revoke", {"id": "others"}, csrf)
        again = await asked.ask("sessions/revoke", {"id": "others"}, csrf)

        assert (204, 204) == (ended.status_code, again.status_code)
        assert [("tablet", True)] == await listed(asked)
        for cookies, _ in others:
            use(asked, cookies)
            assert 401 == (await asked.client.get("/app/api/sessions")).status_code


async def test_sessions_of_others_are_out_of_reach(autojump_clock):
    """They look like none."""
    async with doors() as asked:
        await browsers(asked, "desk")
        [ada] = await asked.rows(tables.sessions)
        made = await asked.store.write(
            invitations.invite, operator_call(asked.organization.id), "new@example.com", "viewer"
        )
        asked.client.cookies.clear()
        body = {"token": made.token, "name": "Ned", "password": "correct horse battery"}
        csrf = (await asked.ask("sign-up", body)).json()["csrfToken"]
        refused = await asked.ask("sessions/revoke", {"id": ada.id}, csrf)
        [kept] = await asked.rows(tables.sessions, id=ada.id)

    assert (404, None) == (refused.status_code, kept.revoked_at)


async def test_a_person_changes_their_name(autojump_clock):
    """Wherever they are a member, where it is audited."""
    async with doors() as asked:
        other = await asked.store.write(provisioning.create, NewOrganization(name="Other"))
        made = await asked.store.write(
            invitations.invite, operator_call(other.id), "ada@work.example", "viewer"
        )
        csrf = await asked.signed_in()
        await asked.ask("accept", {"token": made.token}, csrf)
        unguarded = await asked.ask("profile", {"name": "Eve"})
        renamed = await asked.ask("profile", {"name": " Ada Lovelace "}, csrf)
        shown = await asked.client.get("/app/api/session")
        audited = await asked.rows(tables.audit, action="member.rename")

    assert (403, 200) == (unguarded.status_code, renamed.status_code)
    assert "Ada Lovelace" == renamed.json()["person"]["name"]
    assert renamed.json() == shown.json()
    assert {asked.organization.id, other.id} == {row.organization_id for row in audited}
    assert {shown.json()["person"]["id"]} == {row.target for row in audited}


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "a\u202eb", "x" * (NAME_CHARS_MAX + 1)])
async def test_a_name_that_is_none_is_refused(autojump_clock, name):
    """With where it is."""
    async with doors() as asked:
        csrf = await asked.signed_in()
        refused = await asked.ask("profile", {"name": name}, csrf)

    assert (422, "/name") == (refused.status_code, refused.json()["errors"][0]["pointer"])


async def test_a_first_owner_comes_in_by_a_link(autojump_clock):
    """A one-time link, then a name and a password, with which they sign in from then on."""
    async with doors() as asked:
        owner = await asked.store.write(a_member, asked.organization.id, "first@example.com")
        link = await asked.store.write(sign_in.make_link, owner.id)
        opened = await asked.ask("sign-in-link", {"token": link.token})
        csrf = opened.json()["csrfToken"]
        named = await asked.ask("profile", {"name": "Frida First"}, csrf)
        secured = await asked.ask("password", {"password": "a good long password"}, csrf)
        asked.client.cookies.clear()
        back = await asked.ask("sign-in", {"email": "first@example.com", "password": "a good long password"})

    assert [200, 200, 204, 200] == [one.status_code for one in (opened, named, secured, back)]
    assert "Frida First" == back.json()["person"]["name"]
