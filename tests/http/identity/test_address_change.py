"""A new e-mail address for one's own account: proven before it counts, told to the one before."""

import pytest
import trio

from svc.domain.identity.limits import CONFIRMATION_MS, RESETS_OF_ACCOUNT_MAX
from svc.domain.mail.limits import PROOF_LIFE_MS
from svc.storage import integrity, provisioning
from svc.storage.identity import accounts
from svc.storage.identity.organizations import NewOrganization
from svc.storage.mail import tables
from tests import tables as all_tables
from tests.http.identity.test_mailed_links import ADA, MailDoors, mail_doors
from tests.http.identity.test_people import GOOD, PASSWORD
from tests.people import a_member
from tests.town import HASHER

NEW = "ada@new.example"


async def asked_for(asked: MailDoors, email: str = NEW) -> str:
    """Ask for *email* as Ada, who signs in, and return the token of the mailed link."""
    csrf = await asked.signed_in()
    answer = await asked.ask("address", {"email": email}, csrf)
    assert (204, b"") == (answer.status_code, answer.content), answer.text
    await trio.sleep(1)
    return asked.mails.link_to(NEW)


async def test_an_address_is_changed_by_a_mailed_link(autojump_clock):
    """Nothing changes before; the link works once; sessions go on, and the old address signs nobody in."""
    async with mail_doors() as asked:
        token = await asked_for(asked, f" {NEW.upper()} ")
        assert (await asked.client.get("/app/api/session")).json()["person"]["email"] == ADA
        told = (await asked.ask("link", {"token": token})).json()
        assert {"kind": "account", "purpose": "address", "name": "Ada", "email": NEW} == told

        assert 204 == (await asked.ask("prove", {"token": token})).status_code
        person = (await asked.client.get("/app/api/session")).json()["person"]
        assert (NEW, True) == (person["email"], person["emailProven"])
        assert 404 == (await asked.ask("prove", {"token": token})).status_code
        assert 401 == (await asked.ask("sign-in", GOOD)).status_code
        assert 200 == (await asked.ask("sign-in", {"email": NEW, "password": PASSWORD})).status_code
        actions = [row.action for row in await asked.rows(all_tables.audit)]
        assert 1 == actions.count("member.address_change")
        assert [] == await asked.store.read(lambda conn: [one for one in integrity.check(conn) if one.broken])


async def test_the_old_address_is_told_twice(autojump_clock):
    """When another is asked for, and when it has changed; neither mail has a secret."""
    async with mail_doors() as asked:
        token = await asked_for(asked)
        [before] = asked.mails.to(ADA)
        await asked.ask("prove", {"token": token})
        await trio.sleep(1)
        [_, after] = asked.mails.to(ADA)

        assert NEW in before
        assert "Nothing has changed yet" in before
        assert "/app/account/security" in before
        assert f"has the address {NEW} now" in after
        assert "svcm_" not in before + after
        assert 1 == len(asked.mails.to(NEW))


async def test_asking_takes_a_fresh_sign_in(autojump_clock):
    """And the CSRF token: a browser that was left open gives nobody the account."""
    async with mail_doors() as asked:
        csrf = await asked.signed_in()
        unguarded = await asked.ask("address", {"email": NEW})
        asked.clock.jump(CONFIRMATION_MS)
        stale = await asked.ask("address", {"email": NEW}, csrf)
        await asked.ask("confirm", {"password": PASSWORD}, csrf)
        confirmed = await asked.ask("address", {"email": NEW}, csrf)

        assert [(403, "forbidden"), (403, "confirmation_required")] == [
            (one.status_code, one.json()["code"]) for one in (unguarded, stale)
        ]
        assert 204 == confirmed.status_code


@pytest.mark.parametrize(("email", "status"), [(ADA, 409), ("bob@example.com", 409), ("no address", 422)])
async def test_what_cannot_be_an_address_is_refused(email, status, autojump_clock):
    """One's own, one of another account of the same home, and what is none; no mail goes out."""
    async with mail_doors() as asked:
        await asked.store.write(a_member, asked.organization.id, "bob@example.com")
        csrf = await asked.signed_in()

        assert status == (await asked.ask("address", {"email": email}, csrf)).status_code
        await trio.sleep(1)
        assert [] == asked.mails.taken


async def test_an_account_elsewhere_may_have_the_address(autojump_clock):
    """Each home has its own; then both sign in with it, and share a salt from the next sign-in on."""
    async with mail_doors() as asked:
        other = await asked.store.write(provisioning.create, NewOrganization(name="Other"))
        theirs = HASHER.hash("another long password", salt=b"another salt 16b")
        await asked.store.write(a_member, other.id, NEW, password_hash=theirs)
        await asked.ask("prove", {"token": await asked_for(asked)})
        for password in ("another long password", PASSWORD):
            assert 200 == (await asked.ask("sign-in", {"email": NEW, "password": password})).status_code

        known = await asked.store.read(accounts.credentials, NEW)
        assert 2 == len(known)
        assert 1 == len({one.password_hash.split("$")[-2] for one in known})


async def test_an_address_that_is_taken_meanwhile_stays_taken(autojump_clock):
    """The link then changes nothing, and says why."""
    async with mail_doors() as asked:
        token = await asked_for(asked)
        await asked.store.write(a_member, asked.organization.id, NEW)

        assert 409 == (await asked.ask("prove", {"token": token})).status_code
        assert ADA == (await asked.client.get("/app/api/session")).json()["person"]["email"]


async def test_a_new_password_ends_what_was_asked_for(autojump_clock):
    """Whoever asked for the address with the password before has nothing of it."""
    async with mail_doors() as asked:
        token = await asked_for(asked)
        csrf = await asked.signed_in()
        assert 204 == (await asked.ask("password", {"password": "quite another one"}, csrf)).status_code

        assert 404 == (await asked.ask("prove", {"token": token})).status_code
        assert 0 == await asked.count(tables.mailed_links)


async def test_a_new_address_ends_the_links_to_the_old_one(autojump_clock):
    """A reset that was mailed there opens nothing any more, nor does an earlier request."""
    async with mail_doors() as asked:
        await asked.asked_for()
        reset = asked.mails.link_to(ADA)
        first = await asked_for(asked)
        second = await asked_for(asked)
        assert 404 == (await asked.ask("prove", {"token": first})).status_code
        assert 204 == (await asked.ask("prove", {"token": second})).status_code

        refused = await asked.ask("reset", {"token": reset, "password": "quite another one"})
        assert 404 == refused.status_code


async def test_a_link_works_for_a_day(autojump_clock):
    """Then it changes nothing."""
    async with mail_doors() as asked:
        token = await asked_for(asked)
        asked.clock.jump(PROOF_LIFE_MS)

        assert 404 == (await asked.ask("prove", {"token": token})).status_code


async def test_nobody_is_flooded(autojump_clock):
    """An address that mails are asked for is paced, whoever asks."""
    async with mail_doors() as asked:
        csrf = await asked.signed_in()
        statuses = [
            (await asked.ask("address", {"email": NEW}, csrf)).status_code
            for _ in range(RESETS_OF_ACCOUNT_MAX + 1)
        ]

        assert [204] * RESETS_OF_ACCOUNT_MAX + [429] == statuses


async def test_without_mail_no_address_is_changed(autojump_clock):
    """There is no way to prove one."""
    async with mail_doors(mails=False) as asked:
        csrf = await asked.signed_in()

        assert 404 == (await asked.ask("address", {"email": NEW}, csrf)).status_code
