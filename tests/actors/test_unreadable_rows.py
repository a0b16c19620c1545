"""A row that a disk or a shell has corrupted affects no other row, and no actor."""

from typing import Any

import pytest
import trio
from sqlalchemy import Table, text

from svc.actors.batch_worker import FAULT_RETRY_MS_MAX, RETRY_MS
from svc.actors.embeds.embed_cache import EmbedCache
from svc.actors.forms.form_window import FormWindow
from svc.actors.records.indexer import Indexer
from svc.domain.channels.connections import Connection
from svc.domain.embeds.blocks import HeroBlock
from svc.domain.errors import Unreadable
from svc.domain.limits import CALLS_MAX
from svc.domain.locale.times import SECOND_MS
from svc.http.app import public_app
from svc.storage.channels import tables as channel_tables
from svc.storage.embeds import embeds
from svc.storage.forms import filing, submissions
from svc.storage.store import Tx
from tests import tables
from tests.channels import a_reply, channel_town, push_town
from tests.http.asking import client_of
from tests.lamps import lamp_town
from tests.tooling import tool_town
from tests.town import Town, a_post, a_stored_one, submit, town

GARBAGE = "'not JSON'"
NO_TEXT = "CAST(x'ff' AS TEXT)"
COLUMNS = ("fields", "recognised", "mapped", "visitors")
"""The columns of a submission that have JSON in them."""


async def spoil(here: Town, table: Table, column: str, row_id: str, value: str = GARBAGE) -> None:
    """Write *value*, as SQL has it, over what is stored."""
    statement = text(f"UPDATE {table.name} SET {column} = {value} WHERE id = :id")  # noqa: S608  # no input

    def unit(tx: Tx) -> None:
        assert 1 == tx.conn.execute(statement, {"id": row_id}).rowcount

    await here.store.write(unit)


def _insert_quietly(tx: Tx, new: submissions.NewSubmission) -> str:
    """A due submission without a notice."""
    stored = submissions.create(tx, new)
    tx.changes.clear()
    return stored


# Filing.


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *((column, value) for column in COLUMNS for value in (GARBAGE, NO_TEXT, "'1'", "x'00'")),
        ("email", NO_TEXT),
    ],
)
async def test_a_submission_that_cannot_be_read_is_held_and_the_others_are_filed(
    column: str, value: str, autojump_clock: Any
) -> None:
    """It takes no other with it, and the Filer does not even notice."""
    async with town() as here, here.live_system() as system:
        form = await here.form()
        stored = [
            await here.store.write(_insert_quietly, a_stored_one(form, f"p{number}@example.com"))
            for number in range(5)
        ]
        await spoil(here, tables.submissions, column, stored[2], value)

        await submit(system, form, 9)
        await trio.sleep(2)

        [filer] = system.actors("Filer")
        assert {"filed": 5, "held": 1} == await here.states()
        assert 1 == await here.count(tables.submissions, id=stored[2], held_reason="unreadable")
        assert 0 == filer.crashes


async def test_people_see_that_a_submission_cannot_be_read(autojump_clock: Any) -> None:
    """It is Held as `unreadable`, with what can still be read of it; it cannot be attached."""
    async with tool_town() as here:
        form = await here.form()
        submission_id = await here.store.write(_insert_quietly, a_stored_one(form))
        await spoil(here, tables.submissions, "fields", submission_id)
        await submit(here.system, form, 1)
        await trio.sleep(2)

        listed = (await here.answer("submission.list", {"state": "Held"}))["submissions"]
        shown = await here.answer("submission.get", {"id": submission_id})
        refused = await here.call("submission.attach", {"id": submission_id})
        events = [row for row in await here.rows(tables.events) if row.type == "submission.held"]

        assert [(submission_id, "unreadable", "ada@example.com")] == [
            (one["id"], one["heldReason"], one["email"]) for one in listed
        ]
        assert ({}, "Held") == (shown["fields"], shown["state"])
        assert (409, "conflict") == (refused.status_code, refused.json()["code"])
        assert 1 == len(events)


async def test_a_fault_of_filing_leaves_the_tool_api_as_it_was(
    autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Callers are let in and their budgets fall; filing is tried again, later each time, and goes on."""
    tried: list[float] = []

    def fail(*_: object) -> int:
        tried.append(trio.current_time())
        raise RuntimeError("a fault of ours")

    async with tool_town() as here:
        form = await here.form()
        with monkeypatch.context() as patched:
            patched.setattr(filing, "file_due", fail)
            patched.setattr(filing, "file_each_due", fail)
            await submit(here.system, form, 1)
            answers = []
            for _ in range(8):
                answers.append(await here.call("submission.list"))
                await trio.sleep(20)
            live = here.system.actor("Filer", here.organization.id)
            assert live is not None
            faults = (await live.snapshot())["faults"]
        await trio.sleep(FAULT_RETRY_MS_MAX / SECOND_MS)
        [filer] = here.system.actors("Filer")

        assert [200] * 8 == [one.status_code for one in answers]
        assert [CALLS_MAX - 1, CALLS_MAX - 2, CALLS_MAX - 3] == [
            int(one.headers["ratelimit-remaining"]) for one in answers[:3]
        ]
        assert 0 == filer.crashes
        assert faults >= 5
        gaps = [round(after - before) for before, after in zip(tried[1::2], tried[2::2], strict=False)]
        assert [RETRY_MS // SECOND_MS << number for number in range(len(gaps))] == gaps
        assert {"filed": 1} == await here.states()


async def test_a_contact_that_cannot_be_read_holds_its_own_submissions_alone(autojump_clock: Any) -> None:
    """Submissions with the same address are held as `error`; all others are filed."""
    async with town() as here, here.live_system() as system:
        form = await here.form()
        await submit(system, form, 1)
        await trio.sleep(1)
        [contact] = await here.rows(tables.records)
        await spoil(here, tables.records, "properties", contact.id)

        for number in (1, 2, 3):
            await submit(system, form, number)
        await trio.sleep(2)

        rows = await here.rows(tables.submissions)
        assert [None, "error", None, None] == [row.held_reason for row in rows]
        assert {"filed": 3, "held": 1} == await here.states()


async def test_a_property_that_cannot_be_read_holds_nothing(autojump_clock: Any) -> None:
    """A choice whose options are lost takes no value; what was sent for it is in the note."""
    async with tool_town() as here:
        await here.answer(
            "property.create",
            {"objectType": "contact", "slug": "size", "label": "Size", "type": "select", "options": ["S"]},
        )
        form = await here.form(field_map={"size": "size"})
        [prop] = await here.rows(tables.properties, slug="size")
        await spoil(here, tables.properties, "options", prop.id)

        await submit(here.system, form, 1, values={"email": "p1@example.com", "size": "S"})
        await trio.sleep(1)
        listed = await here.answer("record.list", {"objectType": "contact"})

        [note] = await here.rows(tables.notes)
        assert {"filed": 1} == await here.states()
        assert "size: S" == note.body
        assert 1 == len(listed["records"])


async def test_a_form_whose_map_cannot_be_read_takes_submissions(autojump_clock: Any) -> None:
    """What it would map goes to the note; it is listed, and can be mended."""
    async with tool_town() as here:
        form = await here.form(field_map={"mobile": "phone"})
        await spoil(here, tables.forms, "field_map", form.id)

        await submit(here.system, form, 1, values={"email": "p1@example.com", "mobile": "+49 30 1234567"})
        await trio.sleep(1)
        [listed] = (await here.answer("form.list"))["forms"]
        mended = await here.answer("form.update", {"id": form.id, "fieldMap": {"mobile": "phone"}})

        assert {"filed": 1} == await here.states()
        assert {} == listed["fieldMap"]
        assert {"mobile": "phone"} == mended["fieldMap"]


# Who may enter.


async def test_a_key_that_cannot_be_read_closes_nothing(autojump_clock: Any) -> None:
    """One whose tools are unreadable may call none; all others work as before."""
    async with tool_town() as here:
        narrowed = await here.mint(tools=("record.list",))
        [row] = [one for one in await here.rows(tables.api_keys) if one.tools is not None]
        await spoil(here, tables.api_keys, "tools", row.id)
        here.system.identity.access_revisions.note(here.organization.id)

        own = await here.call("record.list", {"objectType": "contact"}, key=narrowed)
        other = await here.call("record.list", {"objectType": "contact"})
        csrf = await here.sign_in()
        listed = await here.answer_to_person("apikey.list", csrf=csrf)

        assert (403, 200) == (own.status_code, other.status_code)
        assert [[], None] == sorted((one["tools"] for one in listed["apiKeys"]), key=lambda one: one is None)


async def test_a_role_that_cannot_be_read_permits_nothing(autojump_clock: Any) -> None:
    """Its members may do nothing; all others work as before."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        made = await here.answer_to_person(
            "role.create", {"name": "Reader", "permissions": ["records.read"]}, csrf=csrf
        )
        await here.member("reader@example.com", made["id"])
        await spoil(here, tables.roles, "permissions", made["id"])
        here.system.identity.access_revisions.note(here.organization.id)

        mine = await here.call_as_person("record.list", {"objectType": "contact"}, csrf=csrf)
        listed = await here.answer_to_person("role.list", csrf=csrf)
        csrf = await here.sign_in("reader@example.com")
        theirs = await here.call_as_person("record.list", {"objectType": "contact"}, csrf=csrf)

        assert (200, 403) == (mine.status_code, theirs.status_code)
        assert [] == next(one for one in listed["roles"] if one["id"] == made["id"])["permissions"]


# Lists.


async def test_a_record_that_cannot_be_read_is_left_out_of_lists(autojump_clock: Any) -> None:
    """Pages go on over it, it is not counted or found, and asked for by its id it alone is a fault."""
    async with tool_town() as here:
        made = []
        for number in range(6):
            asked = {"objectType": "contact", "properties": {"name": f"Ada {number}"}}
            made.append((await here.answer("record.create", asked))["id"])
        await spoil(here, tables.records, "properties", made[3])

        seen: list[str] = []
        cursor = None
        for _ in range(6):
            page = await here.answer("record.list", {"objectType": "contact", "limit": 2, "cursor": cursor})
            seen += [one["id"] for one in page["records"]]
            cursor = page["nextCursor"]
            if cursor is None:
                break
        found = await here.answer("record.search", {"query": "Ada"})
        alone = await here.call("record.get", {"objectType": "contact", "id": made[3]})
        another = await here.call("record.get", {"objectType": "contact", "id": made[4]})

        readable = [one for one in made if one != made[3]]
        assert readable == sorted(seen)
        assert readable == sorted(one["id"] for one in found["records"])
        assert [(500, "internal"), (200, None)] == [
            (one.status_code, one.json().get("code")) for one in (alone, another)
        ]


async def test_an_index_is_made_over_a_record_that_cannot_be_read(autojump_clock: Any) -> None:
    """It has no key of its own, and stops no other."""
    async with lamp_town() as here, here.live_system() as system:
        lamps = [await here.lamp(f"Lamp {number}", number) for number in range(3)]
        await spoil(here, tables.records, "properties", lamps[1])
        [price] = await here.rows(tables.properties, slug="price")

        await Indexer(system, here.organization.id).index((price.id,))
        await trio.sleep(1)

        [price] = await here.rows(tables.properties, slug="price")
        assert "ready" == price.index_state
        assert 5 == await here.count(tables.record_keys, property_id=price.id)


async def test_timelines_and_suggestions_go_on_over_what_cannot_be_read(autojump_clock: Any) -> None:
    """A suggestion less, an entry with nothing in it, and the cursor goes on behind them."""
    async with tool_town() as here:
        form = await here.form()
        for name in ("Ada", "Ada L.", "Ada B.", "Ada K."):
            post = a_post(values={"email": "ada@example.com", "name": name})
            await FormWindow(here.system, form.form_key).submit(post)
            await trio.sleep(1)
        open_ones = await here.rows(tables.suggestions)
        await spoil(here, tables.suggestions, "value", open_ones[-1].id)
        [contact] = await here.rows(tables.records)
        [*_, last] = await here.rows(tables.submissions)
        await spoil(here, tables.submissions, "fields", last.id)

        first = await here.answer("suggestion.list", {"limit": 1})
        rest = await here.answer("suggestion.list", {"limit": 5, "cursor": first["nextCursor"]})
        timeline = await here.answer("record.timeline", {"objectType": "contact", "id": contact.id})

        assert ([], ["Ada B.", "Ada L."]) == (
            first["suggestions"],
            [one["value"] for one in rest["suggestions"]],
        )
        fields = [one["data"]["fields"] for one in timeline["entries"] if one["kind"] == "submission"]
        assert [{}, "Ada B.", "Ada L.", "Ada"] == [one.get("name", one) for one in fields]


# Embeds.


async def test_an_embed_that_cannot_be_read_is_a_fault_of_its_own(autojump_clock: Any) -> None:
    """It is answered 500, no actor crashes, and the others are shown and listed."""
    async with lamp_town() as here, here.live_system() as system, client_of(public_app(system)) as client:
        first, spoilt, whole = [await here.embed(HeroBlock(title=title)) for title in "ABC"]
        await spoil(here, tables.embeds, "blocks", spoilt.id)

        answers = [await client.get(f"/api/e/{one.embed_key}") for one in (spoilt, spoilt, whole)]
        with pytest.raises(Unreadable):
            await EmbedCache(system, spoilt.embed_key).show()

        assert [500, 500, 200] == [one.status_code for one in answers]
        listed, _ = await here.store.read(embeds.list_page, here.organization.id)
        assert [first.id, spoilt.id, whole.id] == [one.id for one in listed]
        assert 0 == sum(kind.crashes for kind in system.statistics().kinds)


# Channels.


async def test_a_reply_that_cannot_be_read_fails_alone(autojump_clock: Any) -> None:
    """Its conversation goes on with the next, and so do all others."""
    async with channel_town() as here:
        first = await here.write_reply("chat-1", "first")
        await here.write_reply("chat-1", "second")
        await here.write_reply("chat-2", "third")
        await spoil(here, channel_tables.messages, "attachments", first.id)

        taken = await here.pull() + await here.pull()

        [row] = await here.rows(channel_tables.replies, message_id=first.id)
        assert ("failed", "unreadable") == (row.state, row.failure)
        assert ["second", "third"] == sorted(one["text"] for one in taken)
        assert 0 == sum(kind.crashes for kind in here.system.statistics().kinds)


def _write_unreadable_reply(tx: Tx, connection: Connection) -> None:
    """Corrupted before its notice."""
    written = a_reply(tx, connection)
    spoilt = channel_tables.messages.update().where(channel_tables.messages.c.id == written.id)
    tx.conn.execute(spoilt.values(attachments="not JSON"))


async def test_a_push_that_cannot_be_read_fails_alone(autojump_clock: Any) -> None:
    """The other conversations' replies are pushed."""
    async with push_town() as (here, receiver):
        await here.store.write(_write_unreadable_reply, here.connection)
        await here.write_reply("chat-2", "second")
        await trio.sleep(2)

        row, _ = await here.rows(channel_tables.replies)
        assert ("failed", "unreadable") == (row.state, row.failure)
        assert ["second"] == [one["data"]["text"] for one in receiver.bodies]


async def test_a_conversation_whose_evidence_cannot_be_read_takes_messages(autojump_clock: Any) -> None:
    """What is known is learned again, and what cannot be read of a message is left out of lists."""
    async with channel_town() as here:
        said = {"conversationId": "chat-1", "direction": "in", "text": "Hi"}
        told = await here.answer("channel.message.receive", said | {"messageId": "m-1"})
        await spoil(here, channel_tables.conversations, "evidence", told["conversation"])
        sender = {"name": "Ada", "email": "ada@example.com"}
        again = await here.answer("channel.message.receive", said | {"messageId": "m-2", "sender": sender})

        [row] = await here.rows(channel_tables.conversations)
        assert told["conversation"] == again["conversation"]
        assert row.contact_id is not None


async def test_a_message_of_a_contact_that_cannot_be_read_is_recorded(autojump_clock: Any) -> None:
    """The conversation has no contact until a person chooses one."""
    async with channel_town() as here:
        sender = {"email": "ada@example.com"}
        said = {"direction": "in", "text": "Hi", "sender": sender}
        await here.answer("channel.message.receive", said | {"conversationId": "c-1", "messageId": "m-1"})
        [contact] = await here.rows(tables.records)
        await spoil(here, tables.records, "properties", contact.id)

        await here.answer("channel.message.receive", said | {"conversationId": "c-2", "messageId": "m-2"})

        rows = await here.rows(channel_tables.conversations)
        assert [contact.id, None] == [row.contact_id for row in rows]
        assert 2 == await here.count(channel_tables.messages)
