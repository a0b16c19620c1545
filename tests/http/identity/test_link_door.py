"""What a link is for is told before it is used: to its holder alone, at a bounded rate, and for no log."""

import pytest

from svc.domain.crypto.keys import FIRST_OWNER, INVITATION, RESET_LINK, SIGN_IN_LINK, new_key
from svc.domain.identity.callers import operator_call
from svc.domain.identity.limits import (
    ADDRESS_FAILURES_MAX,
    INVITATION_LIFE_MS,
    PAIR_FAILURES_MAX,
    SIGN_IN_LINK_LIFE_MS,
)
from svc.storage.identity import accounts, invitations, members, organizations, sign_in
from svc.storage.identity.members import MemberChanges
from tests import tables
from tests.http.identity.test_mailed_links import ADA, mail_doors
from tests.http.identity.test_people import GOOD, Doors, doors
from tests.people import a_member, call_of


async def invited(asked: Doors, role: str = "viewer", email: str = "grace@example.com") -> str:
    """The token of an invitation by Ada."""
    [ada] = await asked.store.read(accounts.with_email, GOOD["email"])
    made = await asked.store.write(invitations.invite, call_of(ada), email, role)
    return made.token


async def test_an_invitation_says_who_invites_to_what(autojump_clock):
    """Whoever holds it reads that as often as they like, and it still works."""
    async with doors() as asked:
        token = await invited(asked)

        answers = [await asked.ask("link", {"token": token}) for _ in range(2)]
        assert (
            {
                "kind": "invitation",
                "organization": {"id": asked.organization.id, "name": "Lamps & Co"},
                "role": "Viewer",
                "email": "grace@example.com",
                "invitedBy": "Ada",
                "expiresAt": "2026-09-25T00:00:00.000Z",
            }
            == answers[0].json()
            == answers[1].json()
        )
        assert "no-store" == answers[0].headers["cache-control"]
        made = {"token": token, "name": "Grace", "password": "a long password"}
        assert 200 == (await asked.ask("sign-up", made)).status_code


async def test_the_operator_invites_without_a_name(autojump_clock):
    """The answer names nobody then."""
    async with doors() as asked:
        call = operator_call(asked.organization.id)
        made = await asked.store.write(invitations.invite, call, "grace@example.com", "admin")

        told = (await asked.ask("link", {"token": made.token})).json()

        assert (None, "Admin") == (told["invitedBy"], told["role"])


async def test_an_invitation_that_does_not_work_says_so(autojump_clock):
    """Used, withdrawn, expired and made up: the same answer, before anything was typed."""
    async with doors() as asked:
        [ada] = await asked.store.read(accounts.with_email, GOOD["email"])
        used, withdrawn = await invited(asked), await invited(asked, email="eve@example.com")
        await asked.ask("sign-up", {"token": used, "name": "Grace", "password": "a long password"})
        [row] = await asked.rows(tables.invitations, email="eve@example.com")
        await asked.store.write(invitations.withdraw, call_of(ada), row.id)
        expired = await invited(asked, email="old@example.com")
        asked.clock.jump(INVITATION_LIFE_MS)

        random = asked.system.random
        tokens = (used, withdrawn, expired, new_key(INVITATION, random), "svci_mistyped")
        answers = [await asked.ask("link", {"token": token}) for token in tokens]

        assert {404} == {answer.status_code for answer in answers}
        assert 1 == len({answer.json()["code"] for answer in answers})


async def test_an_invitation_is_worth_what_its_inviter_may_give(autojump_clock):
    """A member who may invite nobody any more lets nobody in: that is told at once, too."""
    async with doors() as asked:
        token = await invited(asked)
        [ada] = await asked.store.read(accounts.with_email, GOOD["email"])
        await asked.store.write(a_member, asked.organization.id, "second@example.com")
        call = operator_call(asked.organization.id)
        await asked.store.write(members.update, call, ada.id, MemberChanges(role_id="viewer"))

        assert 403 == (await asked.ask("link", {"token": token})).status_code


async def test_a_closed_organization_lets_nobody_in(autojump_clock):
    """Neither by an invitation nor by a sign-in link."""
    async with doors() as asked:
        token = await invited(asked)
        [ada] = await asked.store.read(accounts.with_email, GOOD["email"])
        link = await asked.store.write(sign_in.make_link, ada.id)
        await asked.store.write(organizations.close, asked.organization.id)

        assert 404 == (await asked.ask("link", {"token": token})).status_code
        assert 404 == (await asked.ask("link", {"token": link.token})).status_code


async def test_a_sign_in_link_says_whom_it_signs_in(autojump_clock):
    """It still works afterwards, once; then, and when it is too old, that is told."""
    async with doors() as asked:
        [ada] = await asked.store.read(accounts.with_email, GOOD["email"])
        link = await asked.store.write(sign_in.make_link, ada.id)
        late = await asked.store.write(sign_in.make_link, ada.id)

        told = await asked.ask("link", {"token": link.token})
        assert {
            "kind": "signIn",
            "name": "Ada",
            "email": GOOD["email"],
            "organizations": ["Lamps & Co"],
        } == told.json()
        assert "set-cookie" not in told.headers
        assert 200 == (await asked.ask("sign-in-link", {"token": link.token})).status_code
        assert 404 == (await asked.ask("link", {"token": link.token})).status_code
        asked.clock.jump(SIGN_IN_LINK_LIFE_MS)
        assert 404 == (await asked.ask("link", {"token": late.token})).status_code


async def test_a_mailed_link_says_whose_account_it_is_about(autojump_clock):
    """Until it was used."""
    async with mail_doors() as asked:
        await asked.asked_for()
        token = asked.mails.link_to(ADA)

        told = (await asked.ask("link", {"token": token})).json()
        assert {"kind": "account", "purpose": "reset", "name": "Ada", "email": ADA} == told
        await asked.ask("reset", {"token": token, "password": "another long password"})
        assert 404 == (await asked.ask("link", {"token": token})).status_code


async def test_the_first_owners_link_is_told(autojump_clock):
    """While it is the present one."""
    async with doors() as asked:
        link = asked.system.identity.first_owner
        token = link.renew(asked.system.clock.now(), asked.system.random)

        assert {"kind": "firstOwner"} == (await asked.ask("link", {"token": token})).json()
        link.end()
        assert 404 == (await asked.ask("link", {"token": token})).status_code


async def test_guesses_are_paced_by_address(autojump_clock):
    """As failed sign-ins are; looks that find something count for nothing, nor do mistyped tokens."""
    async with doors() as asked:
        good, random = await invited(asked), asked.system.random
        for _ in range(2 * PAIR_FAILURES_MAX):
            assert 200 == (await asked.ask("link", {"token": good})).status_code
            assert 404 == (await asked.ask("link", {"token": "svci_mistyped"})).status_code
        kinds = (INVITATION, SIGN_IN_LINK, RESET_LINK, FIRST_OWNER)
        for number in range(ADDRESS_FAILURES_MAX):
            guess = {"token": new_key(kinds[number % len(kinds)], random)}
            assert 404 == (await asked.ask("link", guess)).status_code
        paced = await asked.ask("link", {"token": good})

        assert (429, "5") == (paced.status_code, paced.headers["retry-after"])


async def test_one_dead_link_is_paced_by_itself(autojump_clock):
    """A page that asks again and again after it was used does not use up the pace of its address."""
    async with doors() as asked:
        dead = {"token": new_key(INVITATION, asked.system.random)}
        statuses = [(await asked.ask("link", dead)).status_code for _ in range(PAIR_FAILURES_MAX + 5)]

        assert [404] * PAIR_FAILURES_MAX + [429] * 5 == statuses
        assert 200 == (await asked.ask("link", {"token": await invited(asked)})).status_code


@pytest.mark.parametrize("path", ["link", "sign-in-link", "sign-up"])
async def test_no_token_is_logged(path, autojump_clock, capsys):
    """It stands in the body alone, which nothing writes down."""
    async with doors() as asked:
        token = await invited(asked)
        await asked.ask(path, {"token": token})

        printed = capsys.readouterr()
        assert token not in printed.out + printed.err
        failures = await asked.rows(tables.sign_in_failures)
        assert token not in str(failures)


async def test_pages_of_other_sites_learn_nothing(autojump_clock):
    """The door is for the own origin, as those beside it are."""
    async with doors() as asked:
        token = await invited(asked)

        answer = await asked.ask("link", {"token": token}, origin="https://elsewhere.example")

        assert 403 == answer.status_code
