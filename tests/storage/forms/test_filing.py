"""Filing as it is stored: contacts, notes, suggestions, deals, visits and events of one transaction."""

import msgspec
import pytest
from sqlalchemy import select, update

from svc.domain.errors import Conflict, NotFound
from svc.domain.locale.times import DAY_MS
from svc.domain.sites.limits import VISITOR_KEY_DAYS
from svc.domain.sites.visits import page_view
from svc.storage import provisioning
from svc.storage.forms import filing, submission_lists, submissions
from svc.storage.forms.filing import FilingTarget
from svc.storage.identity import organizations
from svc.storage.records import contacts
from svc.storage.sites import sites, visits
from tests import tables
from tests.town import Town, a_stored_one, town


async def cabinet(here: Town) -> FilingTarget:
    return await here.store.read(filing.target, here.organization.id)


async def store_and_file(here: Town, *stored: submissions.NewSubmission) -> list[str]:
    ids = [await here.store.write(submissions.create, one) for one in stored]
    await here.store.write(filing.file_due, await cabinet(here))
    return ids


async def test_a_known_contact_is_filled_in_and_gets_suggestions(autojump_clock):
    """An empty property is written; a different value waits as one suggestion, however often sent."""
    async with town() as here:
        form = await here.form()
        await store_and_file(here, a_stored_one(form, name="Ada"))

        again = a_stored_one(form, name="Ada Lovelace", phone="+4930123456")
        await store_and_file(here, again)
        await store_and_file(here, again, again)

        [contact] = await here.rows(tables.records)
        [suggestion] = await here.rows(tables.suggestions)
        assert {"name": "Ada", "email": "ada@example.com", "phone": "+4930123456"} == msgspec.json.decode(
            contact.properties
        )
        assert ("name", '"Ada Lovelace"', "open") == (suggestion.property, suggestion.value, suggestion.state)
        assert 4 == await here.count(tables.notes)
        assert ["record.created", "submission.filed", "record.updated", "submission.filed"] == [
            event.type for event in await here.rows(tables.events)
        ][:4]


async def test_a_contact_that_was_filled_in_is_found_by_what_was_filled_in(autojump_clock):
    """A phone learned from a second submission finds the contact in a third."""
    async with town() as here:
        form = await here.form()
        await store_and_file(here, a_stored_one(form))
        await store_and_file(here, a_stored_one(form, phone="+4930123456"))

        await store_and_file(here, a_stored_one(form, None, phone="+4930123456", fields={}, recognised=()))

        assert 1 == await here.count(tables.records)
        assert 3 == await here.count(tables.submissions, state="filed")


async def test_each_submission_opens_a_deal_where_the_form_says_so(autojump_clock):
    """A deal has the template's title, the first stage, and the contact."""
    async with town() as here:
        form = await here.form(deal_title="{{product}} for {{email}}")
        fields = {"email": "ada@example.com", "product": "Lamp"}

        await store_and_file(here, a_stored_one(form, fields=fields))

        [submission] = await here.rows(tables.submissions)
        [deal] = await here.rows(tables.records, id=submission.deal_id)
        assert {
            "name": "Lamp for ada@example.com",
            "stage": "New",
            "contact": submission.contact_id,
        } == msgspec.json.decode(deal.properties)
        created = [
            msgspec.json.decode(event.data)["objectType"]
            for event in await here.rows(tables.events, type="record.created")
        ]
        assert ["contact", "deal"] == created


async def test_the_visits_of_the_senders_browser_are_attached(autojump_clock):
    """Visits under any of the visitor's names become the contact's, and no others."""
    async with town() as here:
        site = await here.store.write(sites.create, here.organization.id, "lamps.example")
        form = await here.form()
        page = page_view("https://lamps.example/", None, None)
        for visitor in ("today", "yesterday", "somebody"):
            await here.store.write(visits.create, [site], visitor, page)

        await store_and_file(here, a_stored_one(form, visitors=("today", "yesterday", "never")))

        [submission] = await here.rows(tables.submissions)
        attached = {row.visitor: row.record_id for row in await here.rows(tables.visits)}
        assert {
            "today": submission.contact_id,
            "yesterday": submission.contact_id,
            "somebody": None,
        } == attached
        assert submission.visitors is None


async def test_another_organizations_contacts_are_strangers(autojump_clock):
    """Matching sees the contacts of its own organization alone."""
    async with town() as here:
        form = await here.form()
        await store_and_file(here, a_stored_one(form))
        other = await here.store.write(provisioning.create, organizations.NewOrganization(name="Other"))

        found = await here.store.read(contacts.known_by, other.id, ["ada@example.com"], [])

        assert [] == found


async def held_conflict(here: Town) -> tuple[str, str, str]:
    """A held submission, and the two contacts that it may be from."""
    form = await here.form(deal_title="Deal")
    await store_and_file(
        here,
        a_stored_one(form, "ada@example.com"),
        a_stored_one(form, None, phone="+4930123456", fields={}, recognised=()),
    )
    ada, bob = [row.contact_id for row in await here.rows(tables.submissions)]
    [held] = await store_and_file(here, a_stored_one(form, "ada@example.com", phone="+4930123456"))
    return held, ada, bob


async def test_an_unclear_submission_is_held_with_its_candidates(autojump_clock):
    """Nothing of a held submission is written but its state, its reason and its candidates."""
    async with town() as here:
        held, ada, bob = await held_conflict(here)

        latest = await here.store.read(submission_lists.get, here.organization.id, held)

        assert (held, "Held", "conflict", [ada, bob], None) == (
            latest.id,
            latest.label,
            latest.held_reason,
            latest.candidates,
            latest.contact_id,
        )
        assert 2 == await here.count(tables.notes)
        assert 1 == await here.count(tables.events, type="submission.held")


@pytest.mark.parametrize("choice", ["candidate", "new"])
async def test_attaching_files_a_held_submission_and_keeps_the_reason(autojump_clock, choice):
    """A person picks a candidate or a new contact; the submission is Filed, with who and when."""
    async with town() as here:
        held, ada, _ = await held_conflict(here)
        where = await cabinet(here)

        done = await here.store.write(
            filing.attach, where, held, ada if choice == "candidate" else None, "usr_1"
        )

        [row] = await here.rows(tables.submissions, id=held)
        assert ("filed", "conflict", "usr_1") == (row.state, row.held_reason, row.filed_by)
        assert row.filed_at is not None
        assert row.deal_id is not None
        assert 3 == await here.count(tables.notes)
        assert (choice == "new") == done.created
        if choice == "candidate":
            assert ada == row.contact_id
        else:
            assert row.contact_id not in {ada, None}


async def test_attaching_twice_or_to_a_stranger_is_refused(autojump_clock):
    """Only a held submission can be attached, and only to one of its candidates or to a new contact."""
    async with town() as here:
        held, ada, bob = await held_conflict(here)
        where = await cabinet(here)
        stranger = (await store_and_file(here, a_stored_one(await here.form(), "eve@example.com")))[0]
        [eve] = await here.rows(tables.submissions, id=stranger)

        with pytest.raises(Conflict):
            await here.store.write(filing.attach, where, held, eve.contact_id, None)
        await here.store.write(filing.attach, where, held, bob, None)
        with pytest.raises(Conflict):
            await here.store.write(filing.attach, where, held, ada, None)
        with pytest.raises(NotFound):
            await here.store.write(filing.attach, where, "sub_nothing", ada, None)


async def test_a_candidate_that_is_gone_cannot_be_chosen(autojump_clock):
    """A contact that was deleted meanwhile is not attached to."""
    async with town() as here:
        held, ada, _ = await held_conflict(here)
        where = await cabinet(here)
        await here.store.write(
            lambda tx: (
                tx.conn.execute(
                    update(tables.records).where(tables.records.c.id == ada).values(deleted_at=tx.now)
                ).rowcount
            )
        )

        with pytest.raises(Conflict):
            await here.store.write(filing.attach, where, held, ada, None)


async def test_what_cannot_be_filed_is_held_and_the_rest_is_filed(autojump_clock):
    """One by one, the submission that cannot be filed is put aside, with what was sent."""
    async with town() as here:
        form = await here.form()
        good, bad, last = [
            await here.store.write(submissions.create, a_stored_one(form, f"p{number}@example.com"))
            for number in range(3)
        ]
        # It maps a field that it does not have.
        await here.store.write(
            lambda tx: (
                tx.conn.execute(
                    update(tables.submissions)
                    .where(tables.submissions.c.id == bad)
                    .values(mapped='{"city": "x"}')
                ).rowcount
            )
        )

        done = await here.store.write(filing.file_each_due, await cabinet(here))

        rows = {row.id: (row.state, row.held_reason) for row in await here.rows(tables.submissions)}
        assert 3 == done
        assert {good: ("filed", None), bad: ("held", "error"), last: ("filed", None)} == rows
        assert 2 == await here.count(tables.records) == await here.count(tables.notes)


async def test_a_held_submission_forgets_its_visitor_with_the_keys(autojump_clock):
    """After 30 days nothing beside a held submission's e-mail says which visits were its sender's."""
    async with town() as here:
        form = await here.form()
        spam = a_stored_one(form, spam=True, visitors=("today",))
        await store_and_file(here, spam)
        await here.store.write(submissions.forget_visitors)
        [before] = await here.rows(tables.submissions)

        here.clock.jump((VISITOR_KEY_DAYS + 1) * DAY_MS)
        await store_and_file(here, spam)
        await here.store.write(submissions.forget_visitors)

        old, new = await here.rows(tables.submissions)
        assert ('["today"]', None, '["today"]') == (before.visitors, old.visitors, new.visitors)


async def test_a_large_set_is_filed_in_the_order_of_arrival(autojump_clock):
    """A batch takes the oldest; the next batch takes the rest."""
    async with town() as here:
        form = await here.form()
        ids = [
            await here.store.write(submissions.create, a_stored_one(form, f"p{number}@example.com"))
            for number in range(7)
        ]
        where = await cabinet(here)

        assert 5 == await here.store.write(filing.file_due, where, 5)
        filed = await here.store.read(
            lambda conn: list(
                conn.execute(
                    select(tables.submissions.c.id).where(tables.submissions.c.state == "filed")
                ).scalars()
            )
        )
        assert ids[:5] == sorted(filed)
        assert 2 == await here.store.write(filing.file_due, where, 5)
        assert 0 == await here.store.write(filing.file_due, where, 5)
