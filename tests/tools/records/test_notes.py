"""`note.*`, as they are called."""

from typing import Any

import pytest
import sqlalchemy as sa
import trio

from tests import tables
from tests.tooling import ToolTown, tool_town


async def a_contact(here: ToolTown) -> dict[str, Any]:
    made = await here.answer("record.create", {"objectType": "contact", "properties": {"name": "Ada"}})
    return {"objectType": "contact", "recordId": made["id"]}


async def test_notes_are_listed_newest_first(autojump_clock):
    """Page by page."""
    async with tool_town() as here:
        on = await a_contact(here)
        written = [await here.answer("note.create", on | {"title": f"{number}"}) for number in range(3)]
        first = await here.answer("note.list", on | {"limit": 2})
        second = await here.answer("note.list", on | {"limit": 2, "cursor": first["nextCursor"]})

        assert written[::-1] == first["notes"] + second["notes"]
        assert second["nextCursor"] is None
        assert ("0", "", None, "2026-09-18T00:00:00.000Z") == tuple(
            written[0][name] for name in ("title", "body", "submissionId", "createdAt")
        )


async def test_a_note_tells_who_wrote_it(autojump_clock):
    """A person by their name, a key by its own; in its answer, in the list and in the timeline."""
    async with tool_town() as here:
        on = await a_contact(here)
        by_key = await here.answer("note.create", on | {"body": "From the till."})
        csrf = await here.sign_in()
        by_person = await here.answer_to_person("note.create", on | {"body": "Called."}, csrf=csrf)
        listed = (await here.answer("note.list", on))["notes"]
        timeline = await here.answer("record.timeline", {"id": on["recordId"]})
        told = {entry["id"]: entry["who"] for entry in timeline["entries"] if entry["kind"] == "note"}

        assert {"kind": "person", "id": here.owner.id, "name": here.owner.name} == by_person["who"]
        assert ("key", "A key") == (by_key["who"]["kind"], by_key["who"]["name"])
        assert [by_person, by_key] == listed
        assert {note["id"]: note["who"] for note in listed} == told


async def test_of_a_note_from_before_its_author_was_stored_there_is_none(autojump_clock):
    """It is listed all the same."""
    async with tool_town() as here:
        on = await a_contact(here)
        note = await here.answer("note.create", on | {"body": "Called."})
        await here.store.write(lambda tx: tx.conn.execute(sa.update(tables.notes).values(source=None)))
        listed = await here.answer("note.list", on)
        timeline = await here.answer("record.timeline", {"id": on["recordId"]})

        assert [note | {"who": None}] == listed["notes"]
        assert None is next(one for one in timeline["entries"] if one["kind"] == "note")["who"]


async def test_the_note_of_a_submission_is_its_form_s(autojump_clock):
    """By the form's name."""
    async with tool_town() as here:
        form = await here.answer("form.create", {"name": "Contact us"})
        await here.client.post("/api/f/s", json={"f": form["formKey"], "v": {"email": "ada@example.com"}})
        await trio.sleep(1)
        [contact] = (await here.answer("record.list", {"objectType": "contact"}))["records"]
        [note] = (await here.answer("note.list", {"recordId": contact["id"]}))["notes"]

        assert {"kind": "form", "id": form["id"], "name": form["name"]} == note["who"]


async def test_a_written_note_is_in_the_trail(autojump_clock):
    """With its own id."""
    async with tool_town() as here:
        note = await here.answer("note.create", await a_contact(here) | {"body": "Called."})
        [line] = await here.rows(tables.audit, action="note.create")

        assert (note["id"], here.owner.id) == (line.target, line.person_id)


@pytest.mark.parametrize(
    ("more", "pointers"),
    [
        ({}, ["/body"]),
        ({"title": " ", "body": "\n"}, ["/body"]),
        ({"title": "x" * 201}, ["/title"]),
        ({"body": "x" * 64_001}, ["/body"]),
        ({"title": "\0", "body": "\0"}, ["/title", "/body"]),
        ({"body": 7}, ["/body"]),
    ],
)
async def test_what_is_wrong_with_a_note_is_pointed_at(autojump_clock, more, pointers):
    """Nothing is written."""
    async with tool_town() as here:
        answer = await here.call("note.create", await a_contact(here) | more)

        assert (422, pointers) == (
            answer.status_code,
            [one["pointer"] for one in answer.json()["errors"]],
        )
        assert 0 == await here.count(tables.notes)


@pytest.mark.parametrize("more", [{"recordId": "rec_1"}, {"objectType": "company"}, {"objectType": "plane"}])
async def test_there_is_no_such_record_to_note(autojump_clock, more):
    """Neither to write on, nor to read of."""
    async with tool_town() as here:
        on = await a_contact(here) | more
        answers = [await here.call("note.create", on | {"body": "Hello"}), await here.call("note.list", on)]

        assert [404, 404] == [one.status_code for one in answers]
