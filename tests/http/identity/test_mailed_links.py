"""Password resets and proofs of an address: what is mailed, to whom, and what strangers can learn or do."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio

from svc.domain.identity.callers import operator_call
from svc.domain.identity.limits import RESET_WINDOW_MS, RESETS_FROM_ADDRESS_MAX, RESETS_OF_ACCOUNT_MAX
from svc.domain.locale.times import SECOND_MS
from svc.domain.mail.limits import RESET_LIFE_MS
from svc.http.app import public_app
from svc.storage import integrity, provisioning
from svc.storage.identity import accounts, members
from svc.storage.identity.members import MemberChanges
from svc.storage.identity.organizations import NewOrganization
from svc.storage.mail import tables
from tests import tables as all_tables
from tests.http.asking import client_of
from tests.http.identity.test_people import GOOD, Doors
from tests.mail_servers import ServerInMemory
from tests.people import a_member
from tests.town import HASHER, town

ADA = GOOD["email"]
NEW = "another long password"


class MailDoors(Doors):
    mails: ServerInMemory

    async def asked_for(self, email: str = ADA) -> None:
        answer = await self.ask("password-reset", {"email": email})
        assert (204, b"") == (answer.status_code, answer.content)
        await trio.sleep(1)


@asynccontextmanager
async def mail_doors(*, mails: bool = True) -> AsyncIterator[MailDoors]:
    async with town(mails=mails) as here:
        server = ServerInMemory()
        here.mail_server = server if mails else None
        async with here.live_system() as system:
            system.base_url = "https://crm.example"
            asked = MailDoors(here.store, here.clock, here.organization)
            asked.system, asked.mails = system, server
            hashed = HASHER.hash(GOOD["password"])
            await here.store.write(a_member, here.organization.id, ADA, password_hash=hashed)
            async with client_of(public_app(system)) as asked.client:
                yield asked


async def test_a_password_is_reset_by_a_mailed_link(autojump_clock):
    """Once; every session ends, the address is proven, and the audit trail says so."""
    async with mail_doors() as asked:
        await asked.signed_in()
        await asked.asked_for(" Ada@Example.com ")

        [text] = asked.mails.to(ADA)
        assert "https://crm.example/app/reset#svcw_" in text
        assert "Lamps & Co" in text
        token = asked.mails.link_to(ADA)
        done = await asked.ask("reset", {"token": token, "password": NEW})
        assert 204 == done.status_code
        assert 401 == (await asked.client.get("/app/api/session")).status_code
        assert 401 == (await asked.ask("sign-in", GOOD)).status_code
        signed_in = await asked.ask("sign-in", {"email": ADA, "password": NEW})
        assert signed_in.json()["person"]["emailProven"]
        again = await asked.ask("reset", {"token": token, "password": NEW})
        assert (404, "not_found") == (again.status_code, again.json()["code"])
        actions = [row.action for row in await asked.rows(all_tables.audit)]
        assert "member.password_reset" in actions


async def test_the_answer_tells_nothing(autojump_clock):
    """It is the same for an address without an account and for what is no address; no mail goes out there."""
    async with mail_doors() as asked:
        for email in ("nobody@example.com", "no address", ADA):
            await asked.asked_for(email)

        assert [ADA] == [one.recipient for one in asked.mails.taken]
        assert [] == await asked.rows(tables.asked_resets)


async def test_what_a_request_stores_does_not_depend_on_an_account(autojump_clock):
    """One unit of work with one row either way; accounts are looked up afterwards."""
    async with mail_doors() as asked:
        stored: list[list[tuple[Any, ...]]] = []
        asked.system.wake = lambda _: None  # type: ignore[method-assign,assignment]
        for email in (ADA, "nobody@example.com"):
            before = asked.store.statistics().units
            await asked.ask("password-reset", {"email": email})
            stored.append([(row.email == email,) for row in await asked.rows(tables.asked_resets)][-1:])
            assert before + 1 == asked.store.statistics().units

        assert [[(True,)], [(True,)]] == stored


async def test_a_link_works_for_half_an_hour(autojump_clock):
    """Then it is as unknown as any other."""
    async with mail_doors() as asked:
        await asked.asked_for()
        asked.clock.jump(RESET_LIFE_MS)

        late = await asked.ask("reset", {"token": asked.mails.link_to(ADA), "password": NEW})
        unknown = await asked.ask("reset", {"token": "svcw_nothing", "password": NEW})

        assert 404 == late.status_code == unknown.status_code
        assert late.json()["detail"] == unknown.json()["detail"]


async def test_a_used_link_ends_the_others(autojump_clock):
    """Of two that were asked for, the second is worth nothing once the first was used."""
    async with mail_doors() as asked:
        await asked.asked_for()
        first = asked.mails.link_to(ADA)
        await asked.asked_for()
        second = asked.mails.link_to(ADA)
        assert 204 == (await asked.ask("reset", {"token": first, "password": NEW})).status_code

        assert 404 == (await asked.ask("reset", {"token": second, "password": NEW})).status_code


async def test_a_bad_password_leaves_the_link(autojump_clock):
    """The person may try again with a longer one."""
    async with mail_doors() as asked:
        await asked.asked_for()
        token = asked.mails.link_to(ADA)
        short = await asked.ask("reset", {"token": token, "password": "short"})

        assert (422, "/password") == (short.status_code, short.json()["errors"][0]["pointer"])
        assert 204 == (await asked.ask("reset", {"token": token, "password": NEW})).status_code


async def test_resets_are_paced_by_account_and_by_address(autojump_clock):
    """Nobody is flooded with mails; what is beyond is answered alike, and makes none."""
    async with mail_doors() as asked:
        for _ in range(RESETS_OF_ACCOUNT_MAX + 2):
            await asked.asked_for()
        assert RESETS_OF_ACCOUNT_MAX == len(asked.mails.to(ADA))

        await trio.sleep(RESET_WINDOW_MS / SECOND_MS)
        await asked.asked_for()
        assert RESETS_OF_ACCOUNT_MAX + 1 == len(asked.mails.to(ADA))

        for number in range(RESETS_FROM_ADDRESS_MAX):
            await asked.asked_for(f"p{number}@example.com")
        await asked.store.write(a_member, asked.organization.id, "bob@example.com")
        await asked.asked_for("bob@example.com")
        assert [] == asked.mails.to("bob@example.com")


async def test_each_account_of_an_address_gets_its_own_link(autojump_clock):
    """It names the organization that the account is of, and changes that account alone."""
    async with mail_doors() as asked:
        other = await asked.store.write(
            provisioning.create,
            NewOrganization(name="Elsewhere", country="GB", currency="GBP", locale="en_GB"),
        )
        await asked.store.write(a_member, other.id, ADA)
        closed_out = await asked.store.write(a_member, other.id, "frozen@example.com", "viewer")
        await asked.store.write(
            members.update, operator_call(other.id), closed_out.id, MemberChanges(status="frozen")
        )
        await asked.asked_for()
        await asked.asked_for("frozen@example.com")

        texts = asked.mails.to(ADA)
        assert 2 == len(texts)
        assert 2 == len(asked.mails.taken)
        [elsewhere] = [text for text in texts if "account at Elsewhere" in text]
        token = elsewhere.partition("#")[2].split()[0]
        assert 204 == (await asked.ask("reset", {"token": token, "password": NEW})).status_code
        opened = await asked.ask("sign-in", {"email": ADA, "password": NEW})
        assert other.id == opened.json()["person"]["homeOrganizationId"]
        assert 200 == (await asked.ask("sign-in", GOOD)).status_code


async def test_an_address_is_proven_by_a_mailed_link(autojump_clock):
    """The person asks while signed in; the link works without a session, once."""
    async with mail_doors() as asked:
        csrf = await asked.signed_in()
        assert 403 == (await asked.ask("address-proof", {})).status_code
        assert 204 == (await asked.ask("address-proof", {}, csrf)).status_code
        await trio.sleep(1)

        token = asked.mails.link_to(ADA)
        asked.client.cookies.clear()
        assert 204 == (await asked.ask("prove", {"token": token})).status_code
        assert 404 == (await asked.ask("prove", {"token": token})).status_code
        assert 404 == (await asked.ask("reset", {"token": token, "password": NEW})).status_code
        session = await asked.ask("sign-in", GOOD)
        assert session.json()["person"]["emailProven"]


async def test_proofs_are_paced(autojump_clock):
    """A signed-in person is told that it was too much."""
    async with mail_doors() as asked:
        csrf = await asked.signed_in()
        for _ in range(RESETS_OF_ACCOUNT_MAX):
            assert 204 == (await asked.ask("address-proof", {}, csrf)).status_code

        late = await asked.ask("address-proof", {}, csrf)
        assert 429 == late.status_code
        assert int(late.headers["retry-after"]) > 0


async def test_an_invitation_is_mailed_with_a_link_of_its_own(autojump_clock):
    """An account that is made with it has a proven address; one that is made with the shown link has not."""
    async with mail_doors() as asked:
        csrf = await asked.signed_in()
        proven = {}
        for email in ("bob@example.com", "eve@example.com"):
            made = await asked.ask("tools/member.invite", {"email": email, "role": "viewer"}, csrf)
            assert made.json()["mailed"]
            await trio.sleep(1)
            mailed = asked.mails.link_to(email)
            shown = made.json()["token"]
            assert shown != mailed
            asked.client.cookies.clear()
            token = mailed if email.startswith("bob") else shown
            opened = await asked.ask("sign-up", {"token": token, "name": "New", "password": NEW})
            proven[email] = opened.json()["person"]["emailProven"]
            left = shown if email.startswith("bob") else mailed
            again = await asked.ask("sign-up", {"token": left, "name": "New", "password": NEW})
            assert 404 == again.status_code
            asked.client.cookies.clear()
            csrf = await asked.signed_in()

        assert {"bob@example.com": True, "eve@example.com": False} == proven
        assert "Ada has invited you to join Lamps & Co as Viewer." in asked.mails.to("bob@example.com")[0]


async def test_a_guest_proves_the_address_by_accepting_with_the_mailed_link(autojump_clock):
    """If it is their account's own; else it says nothing of that account's address."""
    async with mail_doors() as asked:
        other = await asked.store.write(
            provisioning.create,
            NewOrganization(name="Elsewhere", country="GB", currency="GBP", locale="en_GB"),
        )
        hashed = HASHER.hash(NEW)
        guests = {
            email: await asked.store.write(a_member, other.id, email, password_hash=hashed)
            for email in ("bob@example.com", "mallory@example.com")
        }
        for invited, guest in (
            ("bob@example.com", "bob@example.com"),
            ("dan@example.com", "mallory@example.com"),
        ):
            csrf = await asked.signed_in()
            await asked.ask("tools/member.invite", {"email": invited, "role": "viewer"}, csrf)
            await trio.sleep(1)
            csrf = (await asked.ask("sign-in", {"email": guest, "password": NEW})).json()["csrfToken"]
            joined = await asked.ask("accept", {"token": asked.mails.link_to(invited)}, csrf)
            assert 200 == joined.status_code

        found = {
            email: (await asked.store.read(accounts.get, person.id)).email_proven_at is not None
            for email, person in guests.items()
        }
        assert {"bob@example.com": True, "mallory@example.com": False} == found


async def test_a_withdrawn_invitation_is_not_mailed(autojump_clock):
    """Also where the mail server takes nothing until then; an earlier one is replaced by the next."""
    async with mail_doors() as asked:
        asked.mails.is_down = True
        csrf = await asked.signed_in()
        for _ in range(2):
            made = await asked.ask(
                "tools/member.invite", {"email": "bob@example.com", "role": "viewer"}, csrf
            )
        await asked.ask("tools/member.invite", {"email": "eve@example.com", "role": "viewer"}, csrf)
        listed = await asked.ask("tools/member.list", {}, csrf)
        [eve] = [one["id"] for one in listed.json()["invitations"] if one["email"] == "eve@example.com"]
        await asked.ask("tools/member.deactivate", {"id": eve}, csrf)
        asked.mails.is_down = False
        await trio.sleep(120)

        assert ["bob@example.com"] == [one.recipient for one in asked.mails.taken]
        assert made.json()["token"] not in asked.mails.to("bob@example.com")[0]


async def test_no_token_of_a_link_is_stored_in_the_clear(autojump_clock):
    """While it waits it is sealed, and afterwards it is gone."""
    async with mail_doors() as asked:
        asked.mails.is_down = True
        await asked.asked_for()
        [waiting] = await asked.rows(tables.mails)
        assert waiting.token is not None
        assert b"svcw_" not in waiting.token
        assert [] == [one.promise for one in await asked.store.read(_broken)]
        asked.mails.is_down = False
        await trio.sleep(120)

        [sent] = await asked.rows(tables.mails)
        assert ("sent", None, None) == (sent.state, sent.token, sent.data)
        assert [] == [one.promise for one in await asked.store.read(_broken)]


def _broken(conn: Any) -> list[Any]:
    return [finding for finding in integrity.check(conn) if finding.broken]


async def test_without_a_mail_server_there_are_no_such_doors(autojump_clock):
    """Links are shown as ever; nothing queues up."""
    async with mail_doors(mails=False) as asked:
        csrf = await asked.signed_in()
        made = await asked.ask("tools/member.invite", {"email": "bob@example.com", "role": "viewer"}, csrf)
        assert not made.json()["mailed"]
        assert made.json()["token"] in made.json()["link"]
        assert 404 == (await asked.ask("password-reset", {"email": ADA})).status_code
        assert 404 == (await asked.ask("address-proof", {}, csrf)).status_code
        assert [] == await asked.rows(tables.mails)


@pytest.mark.parametrize(("mails", "shown"), [(True, b'"mail":true'), (False, b'"mail":false')])
async def test_the_shell_says_whether_there_is_mail(autojump_clock, mails: bool, shown: bytes):
    """So the screens offer a reset only where one can be mailed."""
    async with mail_doors(mails=mails) as asked:
        page = await asked.client.get("/app/sign-in")

        assert shown in page.content


@pytest.mark.parametrize("path", ["password-reset", "reset", "prove"])
async def test_pages_of_other_sites_can_ask_for_nothing(autojump_clock, path: str):
    """Neither by JSON from another origin nor by a form."""
    async with mail_doors() as asked:
        body = {
            "password-reset": {"email": ADA},
            "reset": {"token": "x", "password": NEW},
            "prove": {"token": "x"},
        }
        foreign = await asked.ask(path, body[path], origin="https://evil.example")
        form = await asked.client.post(f"/app/api/{path}", data={"email": ADA})

        assert (403, 415) == (foreign.status_code, form.status_code)
        assert [] == asked.mails.taken
