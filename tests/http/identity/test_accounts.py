"""Accounts of one e-mail address in several organizations: none is in another's way, or gets into another.

Mallory administers an organization of her own in the same installation, and knows Grace's address.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from svc.actors.identity.password_hashing import PasswordHashing
from svc.actors.system import System
from svc.domain.identity.callers import operator_call
from svc.domain.identity.organizations import Organization
from svc.http.app import public_app
from svc.storage import provisioning
from svc.storage.identity import invitations, organizations, sign_in
from svc.storage.identity.members import list_all as members_of
from svc.storage.identity.organizations import NewOrganization
from tests import tables
from tests.http.asking import client_of
from tests.people import a_member
from tests.town import HASHER, Town, town

GRACE = "grace@example.com"
GRACES = "the password of Grace"
MALLORYS = "the password of Mallory"


class Neighbours(Town):
    """Two organizations in one installation: the town's own, and Mallory's."""

    system: System
    client: httpx.AsyncClient
    mallorys: Organization

    async def invite(self, organization_id: str, email: str, role: str = "viewer") -> str:
        """A link's token, as the inviter passes it on."""
        call = operator_call(organization_id)
        return (await self.store.write(invitations.invite, call, email, role)).token

    async def ask(self, path: str, body: Any, csrf: str = "") -> httpx.Response:
        return await self.client.post(f"/app/api/{path}", json=body, headers={"x-csrf-token": csrf})

    async def join(self, organization_id: str, email: str, password: str, name: str = "N") -> httpx.Response:
        """Sign up, signed out, with a link to the address."""
        token = await self.invite(organization_id, email)
        self.client.cookies.clear()
        return await self.ask("sign-up", {"token": token, "name": name, "password": password})

    async def sign_in(self, email: str, password: str, **more: str) -> httpx.Response:
        """Sign in from a browser without cookies."""
        self.client.cookies.clear()
        return await self.ask("sign-in", {"email": email, "password": password} | more)

    async def homes(self, answer: httpx.Response) -> tuple[int, str, list[str]]:
        """Status, home and organizations of the signed-in person."""
        body = answer.json()
        return (
            answer.status_code,
            body["person"]["homeOrganizationId"],
            [one["id"] for one in body["organizations"]],
        )


@asynccontextmanager
async def neighbours() -> AsyncIterator[Neighbours]:
    async with town() as here, here.live_system() as system:
        made = Neighbours(here.store, here.clock, here.organization)
        made.system = system
        made.mallorys = await here.store.write(provisioning.create, NewOrganization(name="Mallory Ltd"))
        await here.store.write(a_member, here.organization.id, "owner@example.com")
        await here.store.write(a_member, made.mallorys.id, "mallory@example.com")
        async with client_of(public_app(system)) as made.client:
            yield made


async def test_an_invited_person_can_join_whatever_accounts_have_their_address(autojump_clock):
    """Mallory made one first. Grace has her own, at home where she was invited, and both sign in."""
    async with neighbours() as here:
        theirs, ours = here.mallorys.id, here.organization.id
        first = await here.join(theirs, GRACE, MALLORYS)
        second = await here.join(ours, GRACE, GRACES)

        assert (200, theirs, [theirs]) == await here.homes(first)
        assert (200, ours, [ours]) == await here.homes(second)
        assert (200, ours, [ours]) == await here.homes(await here.sign_in(GRACE, GRACES))
        assert (200, theirs, [theirs]) == await here.homes(await here.sign_in(GRACE, MALLORYS))


async def test_an_account_gets_nowhere_by_its_address(autojump_clock):
    """Grace is invited; Mallory, signed in with an account of that address, has no link, and no way in."""
    async with neighbours() as here:
        await here.join(here.mallorys.id, GRACE, MALLORYS)
        await here.invite(here.organization.id, GRACE, "owner")
        await here.join(here.organization.id, "other@example.com", GRACES)
        signed_in = await here.sign_in(GRACE, MALLORYS)
        elsewhere = await here.client.post(
            "/app/api/tools/member.list",
            json={},
            headers={
                "x-csrf-token": signed_in.json()["csrfToken"],
                "x-organization-id": here.organization.id,
            },
        )

        assert (200, here.mallorys.id, [here.mallorys.id]) == await here.homes(signed_in)
        assert 403 == elsewhere.status_code
        members = await here.store.read(members_of, here.organization.id)
        assert ["owner@example.com", "other@example.com"] == [one.email for one in members]


async def test_an_invitation_does_not_tell_which_addresses_have_accounts(autojump_clock):
    """Mallory invites an address of ours, and one without an account: all answers are the same."""
    async with neighbours() as here:
        await here.join(here.organization.id, GRACE, GRACES)
        told = []
        for email in (GRACE, "nobody@example.com"):
            answer = await here.join(here.mallorys.id, email, MALLORYS)
            body = answer.json()
            told.append((answer.status_code, sorted(body), body["organizations"]))

        assert told[0] == told[1]


async def test_a_link_works_once(autojump_clock):
    """Signed in, it makes a guest of them, under their own address and home; then it is used up."""
    async with neighbours() as here:
        token = await here.invite(here.organization.id, "grace@work.example", "admin")
        await here.join(here.mallorys.id, GRACE, GRACES)
        csrf = (await here.sign_in(GRACE, GRACES)).json()["csrfToken"]
        accepted = await here.ask("accept", {"token": token}, csrf)
        here.client.cookies.clear()
        again = await here.ask("sign-up", {"token": token, "name": "M", "password": MALLORYS})

        assert (200, here.mallorys.id) == (await here.homes(accepted))[:2]
        assert {here.mallorys.id, here.organization.id} == set((await here.homes(accepted))[2])
        assert 404 == again.status_code


async def test_a_removed_member_cannot_come_back_by_a_link(autojump_clock):
    """Not by one to another address either, which another person passed on."""
    async with neighbours() as here:
        token = await here.invite(here.organization.id, GRACE)
        await here.join(here.mallorys.id, GRACE, GRACES)
        csrf = (await here.sign_in(GRACE, GRACES)).json()["csrfToken"]
        person = (await here.ask("accept", {"token": token}, csrf)).json()["person"]["id"]
        await here.store.write(
            lambda tx: tx.conn.execute(
                tables.members.update()
                .where(
                    tables.members.c.person_id == person,
                    tables.members.c.organization_id == here.organization.id,
                )
                .values(status="frozen")
            ).close()
        )
        another = await here.invite(here.organization.id, "new@example.com", "owner")
        refused = await here.ask("accept", {"token": another}, csrf)

        assert (409, "conflict") == (refused.status_code, refused.json()["code"])


async def test_one_password_of_several_accounts_asks_which(autojump_clock):
    """Grace has the same one at both homes: she is asked, once her password was right, and never before."""
    async with neighbours() as here:
        theirs, ours = here.mallorys.id, here.organization.id
        await here.join(theirs, GRACE, GRACES)
        await here.join(ours, GRACE, GRACES)
        which = await here.sign_in(GRACE, GRACES)
        wrong = await here.sign_in(GRACE, "another password")

        assert (409, "organization_required") == (which.status_code, which.json()["code"])
        assert [
            {"id": theirs, "name": "Mallory Ltd"},
            {"id": ours, "name": "Lamps & Co"},
        ] == which.json()["organizations"]
        assert "set-cookie" not in which.headers
        assert (401, False) == (wrong.status_code, "organizations" in wrong.json())
        for home in (theirs, ours):
            named = await here.sign_in(GRACE, GRACES, organization=home)
            assert (200, home, [home]) == await here.homes(named)


async def test_an_account_that_opens_nothing_is_no_choice(autojump_clock):
    """Mallory's organization is closed: an account with the same password there is not looked at."""
    async with neighbours() as here:
        await here.join(here.mallorys.id, GRACE, GRACES)
        await here.join(here.organization.id, GRACE, GRACES)
        await here.store.write(organizations.close, here.mallorys.id)

        ours = here.organization.id
        assert (200, ours, [ours]) == await here.homes(await here.sign_in(GRACE, GRACES))


@pytest.mark.parametrize("named", ["ours", "theirs", "org_none", ""])
async def test_a_named_organization_opens_its_own_account_alone(named, autojump_clock):
    """Mallory's password opens no account of ours, nor Grace's one of hers; which exist is not revealed."""
    async with neighbours() as here:
        await here.join(here.mallorys.id, GRACE, MALLORYS)
        await here.join(here.organization.id, GRACE, GRACES)
        home = {"ours": here.organization.id, "theirs": here.mallorys.id}.get(named, named)
        answers = [
            await here.sign_in(GRACE, GRACES, organization=home),
            await here.sign_in(GRACE, MALLORYS, organization=home),
        ]

        expected = {"ours": [200, 401], "theirs": [401, 200]}.get(named, [401, 401])
        assert expected == [one.status_code for one in answers]
        assert {"wrong_credentials"} >= {one.json().get("code", "wrong_credentials") for one in answers}


async def test_many_accounts_with_an_address_cost_a_sign_in_nothing(autojump_clock):
    """An attacker with thirty organizations: Grace's sign-in is one hash, as it is for an unknown address."""
    computed: list[int] = []

    async def count(fn: Any, *args: Any, limiter: Any) -> Any:
        computed.append(len(args[0]) if args else 0)
        return fn(*args)

    async with neighbours() as here:
        await here.join(here.organization.id, GRACE, GRACES)
        for number in range(30):
            made = await here.store.write(provisioning.create, NewOrganization(name=f"Mallory {number}"))
            assert 200 == (await here.join(made.id, GRACE, f"{MALLORYS} {number}")).status_code
        hashes = {row.password_hash for row in await here.rows(tables.people, email=GRACE)}
        here.system.identity.passwords = PasswordHashing(HASHER, count)
        signed_in = await here.sign_in(GRACE, GRACES)
        await here.sign_in("nobody@example.com", GRACES)

        assert (31, 1) == (len(hashes), len({one.rpartition("$")[0] for one in hashes}))
        assert [31, 0] == computed
        assert (200, here.organization.id) == (await here.homes(signed_in))[:2]


async def test_what_is_done_with_a_session_is_done_to_its_own_account(autojump_clock):
    """A confirmation, a new password and a link are those of Mallory's account, and of no other."""
    async with neighbours() as here:
        await here.join(here.organization.id, GRACE, GRACES)
        joined = await here.join(here.mallorys.id, GRACE, MALLORYS)
        csrf, person = joined.json()["csrfToken"], joined.json()["person"]["id"]
        confirmed = [await here.ask("confirm", {"password": one}, csrf) for one in (GRACES, MALLORYS)]
        changed = await here.ask("password", {"password": "a new one of Mallory's"}, csrf)
        link = await here.store.write(sign_in.make_link, person)
        here.client.cookies.clear()
        by_link = await here.ask("sign-in-link", {"token": link.token})

        assert ([401, 204], 204) == ([one.status_code for one in confirmed], changed.status_code)
        assert (200, here.mallorys.id) == (await here.homes(by_link))[:2]
        assert 200 == (await here.sign_in(GRACE, GRACES)).status_code
        assert 401 == (await here.sign_in(GRACE, MALLORYS)).status_code
        assert 200 == (await here.sign_in(GRACE, "a new one of Mallory's")).status_code
