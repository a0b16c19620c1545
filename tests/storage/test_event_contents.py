"""What events say: their subject, their source, the record, and what was changed."""

from typing import Any

import msgspec
import trio

from svc.domain.channels.messages import HealthReport, Sender
from svc.domain.events import Source
from svc.domain.identity.callers import Call, Caller
from svc.domain.identity.roles import PERMISSIONS
from svc.domain.locale.times import rfc3339
from svc.domain.records.properties import Property
from svc.storage.channels import connections, replies
from svc.storage.forms import filing, submissions
from svc.storage.forms.submissions import NewSubmission
from svc.storage.records import merges as record_merges
from svc.storage.records import properties, records
from tests import tables
from tests.channels import PERSON, a_message, channel_town
from tests.storage.ledger import API, ledger
from tests.town import Town, a_stored_one, town

SECRET = Property(slug="secret", label="Secret", type="text")


async def told(here: Town, **where: Any) -> list[tuple[str, str, Any]]:
    """Type, subject and data of the events."""
    rows = await here.rows(tables.events, **where)
    return [(row.type, row.subject, msgspec.json.decode(row.data)) for row in rows]


async def file_all(here: Town, *stored: NewSubmission) -> list[str]:
    """Store the submissions and file them in one batch."""
    ids = [await here.store.write(submissions.create, one) for one in stored]
    await here.store.write(filing.file_due, await here.store.read(filing.target, here.organization.id))
    return ids


def test_an_update_says_what_was_changed() -> None:
    """From which value to which, with null for none; the record is as it is now, with its times."""
    with ledger() as here:
        given = {"name": "Ada", "city": "Bonn"}
        ada = here.write(records.create, here.organization, "contact", given, source=API)
        values = {"city": None, "job_title": "Lead"}
        here.write(records.update, here.organization, "contact", ada.id, values, source=API)

        _, updated = here.rows(tables.events)
        assert {
            "objectType": "contact",
            "recordId": ada.id,
            "record": {
                "id": ada.id,
                "objectType": "contact",
                "version": 2,
                "properties": {"name": "Ada", "job_title": "Lead"},
                "createdAt": rfc3339(ada.created_at),
                "updatedAt": rfc3339(updated.at),
            },
            "changed": {"city": {"from": "Bonn", "to": None}, "job_title": {"from": None, "to": "Lead"}},
            "source": API,
        } == msgspec.json.decode(updated.data)
        assert (ada.id, "contact", 0) == (updated.subject, updated.object_type, updated.depth)


def test_a_merge_says_which_record_is_left() -> None:
    """The one that is gone is deleted, with the id of the other, which is updated."""
    with ledger() as here:
        ada, twin = (
            here.write(records.create, here.organization, "contact", given, source=API)
            for given in ({"name": "Ada"}, {"city": "Bonn"})
        )
        here.write(record_merges.merge, here.organization.id, "contact", ada.id, twin.id, source=API)

        deleted, updated = here.rows(tables.events)[2:]
        assert [("record.deleted", twin.id), ("record.updated", ada.id)] == [
            (row.type, row.subject) for row in (deleted, updated)
        ]
        assert ada.id == msgspec.json.decode(deleted.data)["mergedInto"]
        assert {"city": {"from": None, "to": "Bonn"}} == msgspec.json.decode(updated.data)["changed"]


def test_a_call_of_a_run_says_its_workflow_its_run_and_its_depth() -> None:
    """It is the source of what it writes, and so the depth of the events of that."""
    caller = Caller(
        organization_id="org_1", kind="workflow", id="wfl_1", person_id="usr_1", permissions=PERMISSIONS
    )
    source: Source = {"kind": "workflow", "workflowId": "wfl_1", "runId": "run_1", "depth": 2}

    assert source == Call(caller=caller, door="inside", run_id="run_1", depth=2).source()


async def test_a_filed_submission_says_its_fields_its_contact_and_its_deal(autojump_clock):
    """As they were stored; the contact and the deal come before it, from the same form."""
    async with town() as here:
        form = await here.form(deal_title="Lamp")
        fields = {"email": "ada@example.com", "message": "Hello"}
        [submission] = await file_all(here, a_stored_one(form, fields=fields))

        [row] = await here.rows(tables.submissions)
        source = {"kind": "form", "formId": form.id, "submissionId": submission}
        contact, deal, filed = await told(here)
        assert (
            "submission.filed",
            submission,
            {
                "submissionId": submission,
                "formId": form.id,
                "contactId": row.contact_id,
                "dealId": row.deal_id,
                "fields": fields,
                "source": source,
            },
        ) == filed
        at = rfc3339(row.filed_at)
        assert ("record.created", row.contact_id, "contact") == (*contact[:2], contact[2]["objectType"])
        assert ("record.created", row.deal_id) == deal[:2]
        assert {
            "id": row.deal_id,
            "objectType": "deal",
            "version": 1,
            "properties": {"name": "Lamp", "stage": "New", "contact": row.contact_id},
            "createdAt": at,
            "updatedAt": at,
        } == deal[2]["record"]
        assert [source] * 2 == [one[2]["source"] for one in (contact, deal)]


async def test_each_submission_of_a_batch_says_the_contact_as_it_left_it(autojump_clock):
    """The first does not know yet what the second fills in; that is what the second changed."""
    async with town() as here:
        form = await here.form()
        await file_all(here, a_stored_one(form), a_stored_one(form, name="Ada"))
        await trio.sleep(1)
        await file_all(here, a_stored_one(form, phone="+4930123456"))

        created, first, second = [data for type_, _, data in await told(here) if type_.startswith("record.")]
        assert {"email": "ada@example.com"} == created["record"]["properties"]
        assert {"name": {"from": None, "to": "Ada"}} == first["changed"]
        assert {"phone": {"from": None, "to": "+4930123456"}} == second["changed"]
        assert created["record"]["createdAt"] == second["record"]["createdAt"]
        assert second["record"]["createdAt"] < second["record"]["updatedAt"]
        assert "changed" not in created


async def test_what_a_submission_fills_in_says_nothing_of_deleted_properties(autojump_clock):
    """As every other event, and every look at the record."""
    async with town() as here:
        org = here.organization
        await here.store.write(properties.create, org.id, "contact", SECRET)
        values = {"email": "ada@example.com", "secret": "of old"}
        await here.store.write(records.create, org, "contact", values, source=API)
        await here.store.write(properties.delete, org.id, "contact", "secret")
        await file_all(here, a_stored_one(await here.form(), name="Ada"))

        [updated] = [data for type_, _, data in await told(here) if type_ == "record.updated"]
        assert {"email": "ada@example.com", "name": "Ada"} == updated["record"]["properties"]
        [stored] = await here.rows(tables.records, id=updated["recordId"])
        assert "of old" == msgspec.json.decode(stored.properties)["secret"]


async def test_a_held_submission_is_the_forms(autojump_clock):
    """Nothing was filed, so it has no contact."""
    async with town() as here:
        form = await here.form()
        [submission] = await file_all(here, a_stored_one(form, spam=True))

        source = {"kind": "form", "formId": form.id, "submissionId": submission}
        data = {"submissionId": submission, "formId": form.id, "reason": "spam", "source": source}
        assert [("submission.held", submission, data)] == await told(here)


async def test_a_conversations_events_are_of_its_channel(autojump_clock):
    """Its making, its contact, its messages and what becomes of replies; a cancelled one is a person's."""
    async with channel_town() as here:
        sender = Sender(name="Ada", phone="+4930123456")
        await here.store.write(a_message, here.connection, sender=sender)
        first = await here.write_reply()
        second = await here.write_reply()
        [reply] = await here.pull()
        await here.report(reply, "sent")
        await here.store.write(replies.cancel, second.id, source=PERSON)

        channel = {
            "kind": "channel",
            "connectionId": here.connection.id,
            "conversationId": first.conversation_id,
        }
        [contact] = await here.rows(tables.records)
        conversation = first.conversation_id
        assert [
            ("record.created", contact.id, channel),
            ("conversation.created", conversation, channel),
            ("message.received", conversation, channel),
            ("message.status", conversation, channel),
            ("message.status", conversation, PERSON),
        ] == [(type_, subject, data["source"]) for type_, subject, data in await told(here)]


async def test_a_connections_state_is_whose_it_was_changed_by(autojump_clock):
    """A person pauses it; its health is the bridge's own."""
    async with channel_town() as here:
        mine = (here.organization.id, here.connection.id)
        await here.store.write(connections.note_health, *mine, HealthReport(state="online"))
        await here.store.write(connections.pause, *mine, source=PERSON)

        channel = {"kind": "channel", "connectionId": here.connection.id}
        assert [
            ("connection.state", here.connection.id, "active", channel),
            ("connection.state", here.connection.id, "paused", PERSON),
        ] == [(type_, subject, data["status"], data["source"]) for type_, subject, data in await told(here)]
