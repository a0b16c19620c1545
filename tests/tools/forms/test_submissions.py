"""`submission.*`: what came in is listed and shown, and what is held is attached, once."""

from typing import Any

import msgspec
import trio

from svc.domain.forms.forms import NewForm
from svc.domain.sites.limits import VISITS_SHOWN_MAX
from svc.storage import provisioning
from svc.storage.forms import filing, forms, search_blocks, submissions
from svc.storage.identity import roles
from svc.storage.identity.organizations import NewOrganization
from svc.storage.records import merges as record_merges
from svc.storage.store import Tx
from tests import tables
from tests.people import call_of
from tests.tooling import ToolTown, tool_town
from tests.town import a_stored_one

FILING_SECONDS = 1
"""After which everything is filed that was due."""

BOB_AND_ADA = {"name": "A. Lovelace", "email": "ada@example.com", "phone": "+4930123456", "lamp": "Skerry"}


async def post(here: ToolTown, form: dict[str, Any], **values: Any) -> str:
    """Submit, let it be filed, and return its id."""
    answer = await here.client.post("/api/f/s", json={"f": form["formKey"], "v": values})
    assert answer.status_code == 200, answer.text
    await trio.sleep(FILING_SECONDS)
    return str((await here.rows(tables.submissions))[-1].id)


async def held_conflict(here: ToolTown) -> tuple[str, str, str]:
    """A submission whose e-mail is Ada's and whose phone is Bob's; and the ids of the two."""
    form = await here.answer("form.create", {"name": "Contact us", "dealTitle": "{{lamp}}"})
    ada = await post(here, form, email="ada@example.com", name="Ada")
    bob = await post(here, form, email="bob@example.com", phone="+4930123456")
    held = await post(here, form, **BOB_AND_ADA)
    contacts = {row.id: row.contact_id for row in await here.rows(tables.submissions)}
    return held, contacts[ada], contacts[bob]


async def page(here: ToolTown, **asked: Any) -> tuple[list[str], str | None]:
    answer = await here.answer("submission.list", asked)
    return [one["id"] for one in answer["submissions"]], answer["nextCursor"]


async def test_a_filed_submission_is_shown_with_all_of_it(autojump_clock):
    """What was sent and kept, how much was dropped, its contact, its deal, and the pages that led to it."""
    async with tool_town() as here:
        await here.answer("site.create", {"domain": "lamps.example"})
        form = await here.answer("form.create", {"name": "Contact us", "dealTitle": "{{lamp}}"})
        for path in ("lamps", "contact"):
            await here.client.post("/api/t", json={"url": f"https://lamps.example/{path}", "title": path})
            here.clock.jump(1_000)
        submission = await post(
            here, form, email=" Ada@Example.com", lamp="Skerry", news=True, password="secret"
        )
        shown = await here.answer("submission.get", {"id": submission})
        [row] = await here.rows(tables.submissions)
        [note] = await here.rows(tables.notes)

        assert {
            "id": submission,
            "formId": form["id"],
            "state": "Filed",
            "heldReason": None,
            "receivedAt": "2026-09-18T00:00:02.000Z",
            "email": "ada@example.com",
            "phone": None,
            "name": None,
            "excerpt": "Skerry",
            "dropped": 1,
            "contactId": row.contact_id,
            "dealId": row.deal_id,
            "noteId": note.id,
            "filedAt": shown["filedAt"],
            "filedBy": None,
            "discardedAt": None,
            "discardedBy": None,
            "fields": {"email": " Ada@Example.com", "lamp": "Skerry", "news": True},
            "candidates": [],
            "visits": [
                {
                    "url": f"https://lamps.example/{path}",
                    "title": path,
                    "referrer": None,
                    "at": f"2026-09-18T00:00:0{second}.000Z",
                }
                for second, path in enumerate(("lamps", "contact"))
            ],
        } == shown
        assert row.contact_id is not None
        assert row.deal_id is not None


async def test_a_held_submission_is_shown_with_its_candidates_and_visits(autojump_clock):
    """The visits are those of its browser, which belong to no contact yet."""
    async with tool_town() as here:
        await here.answer("site.create", {"domain": "lamps.example"})
        held, ada, bob = await held_conflict(here)
        await here.client.post("/api/t", json={"url": "https://lamps.example/late"})
        here.clock.jump(1_000)
        form = (await here.answer("form.list"))["forms"][0]
        again = await post(here, form, **BOB_AND_ADA)
        here.clock.jump(1_000)
        await here.client.post("/api/t", json={"url": "https://lamps.example/after"})
        first, second = [await here.answer("submission.get", {"id": one}) for one in (held, again)]

        assert [
            {"id": ada, "name": "Ada", "email": "ada@example.com", "phone": None},
            {"id": bob, "name": None, "email": "bob@example.com", "phone": "+4930123456"},
        ] == first["candidates"]
        assert ("Held", "conflict", None, []) == (
            first["state"],
            first["heldReason"],
            first["contactId"],
            first["visits"],
        )
        assert ["https://lamps.example/late"] == [one["url"] for one in second["visits"]]


async def test_without_records_read_candidates_are_ids(autojump_clock):
    """The forms permission opens submissions, and not contacts."""
    async with tool_town() as here:
        held, ada, bob = await held_conflict(here)
        role = await here.store.write(
            roles.create,
            call_of(here.owner, here.organization.id, confirmed_at=here.clock.now()),
            "Inbox",
            ["forms"],
        )
        key = await here.mint(role_id=role.id)
        shown = await here.answer("submission.get", {"id": held}, key=key)

        assert [{"id": one, "name": None, "email": None, "phone": None} for one in (ada, bob)] == shown[
            "candidates"
        ]


async def test_attaching_files_it_like_any_other(autojump_clock):
    """It is Filed with note, deal, suggestions and events; it shows the person, and still why it was held."""
    async with tool_town() as here:
        held, ada, _ = await held_conflict(here)
        here.clock.jump(5_000)
        before = await here.count(tables.events)
        attached = await here.answer("submission.attach", {"id": held, "contactId": ada})
        [audit] = await here.rows(tables.audit, action="submission.attach")

        assert ("Filed", "conflict", ada, []) == tuple(
            attached[name] for name in ("state", "heldReason", "contactId", "candidates")
        )
        assert (audit.caller_id, audit.target) == (attached["filedBy"], held)
        assert attached == await here.answer("submission.get", {"id": held})
        assert attached["filedAt"] > attached["receivedAt"]
        assert ["record.created", "submission.filed"] == [
            event.type for event in (await here.rows(tables.events))[before:]
        ]
        [note] = await here.rows(tables.notes, submission_id=held)
        [deal] = await here.rows(tables.records, id=attached["dealId"])
        assert (ada, "Skerry") == (note.record_id, msgspec.json.decode(deal.properties)["name"])
        assert ["name", "phone"] == sorted(
            row.property for row in await here.rows(tables.suggestions, submission_id=held)
        )


async def test_attaching_without_a_contact_makes_one(autojump_clock):
    """It is none of the candidates."""
    async with tool_town() as here:
        held, ada, bob = await held_conflict(here)
        attached = await here.answer("submission.attach", {"id": held})

        assert attached["contactId"] not in {None, ada, bob}
        assert 3 == await here.count(tables.records, id=attached["contactId"]) + 2


async def test_of_two_concurrent_attachments_one_is_a_conflict(autojump_clock):
    """It is filed once, and the other answer is a conflict."""
    async with tool_town() as here:
        held, ada, bob = await held_conflict(here)
        told: list[tuple[int, str | None]] = []

        async def attach(contact_id: str) -> None:
            answer = await here.call("submission.attach", {"id": held, "contactId": contact_id})
            told.append((answer.status_code, answer.json().get("code")))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(attach, ada)
            nursery.start_soon(attach, bob)
        late = await here.call("submission.attach", {"id": held})

        assert [(200, None), (409, "conflict")] == sorted(told)
        assert (409, "conflict") == (late.status_code, late.json()["code"])
        assert 1 == await here.count(tables.notes, submission_id=held)


async def test_only_a_candidate_can_be_chosen(autojump_clock):
    """Neither another contact, nor what is none, nor one that was deleted meanwhile."""
    async with tool_town() as here:
        held, ada, _ = await held_conflict(here)
        eve = await here.answer("record.create", {"objectType": "contact", "properties": {"name": "Eve"}})
        other = [
            await here.call("submission.attach", {"id": held, "contactId": one})
            for one in (eve["id"], "rec_0", "")
        ]

        def delete(tx: Tx) -> None:
            tx.conn.execute(
                tables.records.update().where(tables.records.c.id == ada).values(deleted_at=tx.now)
            )

        await here.store.write(delete)
        gone = await here.call("submission.attach", {"id": held, "contactId": ada})
        shown = await here.answer("submission.get", {"id": held})

        assert [409] * 4 == [one.status_code for one in (*other, gone)]
        assert ("Held", 1) == (shown["state"], len(shown["candidates"]))


async def test_a_merged_candidate_stands_for_its_survivor(autojump_clock):
    """Also for a survivor that was no candidate; both ids can be chosen."""
    async with tool_town() as here:
        held, ada, bob = await held_conflict(here)
        eve = await here.answer("record.create", {"objectType": "contact", "properties": {"name": "Eve"}})
        for merged in (ada, bob):
            await here.store.write(
                record_merges.merge,
                here.organization.id,
                "contact",
                eve["id"],
                merged,
                source={"kind": "api"},
            )
        shown = await here.answer("submission.get", {"id": held})
        attached = await here.answer("submission.attach", {"id": held, "contactId": ada})

        assert [eve["id"]] == [one["id"] for one in shown["candidates"]]
        assert eve["id"] == attached["contactId"]


async def test_a_list_is_gone_on_with_while_more_come_in(autojump_clock):
    """The newest first, each once, whatever is stored between two pages."""
    async with tool_town() as here:
        forms_ = [await here.form(name=f"Form {number}") for number in range(3)]
        stored = [
            await here.store.write(submissions.create, a_stored_one(forms_[number % 3], queued=True))
            for number in range(7)
        ]
        first, cursor = await page(here, limit=3)
        await here.store.write(submissions.create, a_stored_one(forms_[0], queued=True))
        second, cursor = await page(here, limit=3, cursor=cursor)
        third, end = await page(here, limit=3, cursor=cursor)
        of_one, _ = await page(here, formId=forms_[1].id)

        assert stored[::-1] == [*first, *second, *third]
        assert end is None
        assert [stored[4], stored[1]] == of_one


async def test_a_list_of_one_state_has_that_alone(autojump_clock):
    """Of one form or of all; what is due is Queued to people."""
    async with tool_town() as here:
        held, _, _ = await held_conflict(here)
        [form] = (await here.answer("form.list"))["forms"]
        other = await here.form(name="Another")
        queued = [
            await here.store.write(submissions.create, a_stored_one(one, queued=True))
            for one in (other, await stored_form(here, form["id"]))
        ]
        due = await here.store.write(_insert_quietly, other)
        listed = {
            (state, whose): (await page(here, state=state, **({"formId": whose} if whose else {})))[0]
            for state in ("Filed", "Held", "Queued")
            for whose in (None, form["id"], other.id)
        }

        assert [held] == listed["Held", None] == listed["Held", form["id"]]
        assert 2 == len(listed["Filed", None]) == len(listed["Filed", form["id"]])
        assert [due, *queued[::-1]] == listed["Queued", None]
        assert ([queued[1]], [due, queued[0]]) == (listed["Queued", form["id"]], listed["Queued", other.id])
        assert [] == listed["Held", other.id] == listed["Filed", other.id]


async def stored_form(here: ToolTown, form_id: str) -> Any:
    return await here.store.read(forms.get, here.organization.id, form_id)


def _insert_quietly(tx: Tx, form: Any) -> str:
    """Store what is due, without a notice."""
    stored = submissions.create(tx, a_stored_one(form))
    tx.changes.clear()
    return stored


async def test_a_spam_mark_is_shown_once_it_is_held(autojump_clock):
    """Until then it is Queued without a reason."""
    async with tool_town() as here:
        form = await here.form(honeypot="fax")
        waiting = await here.store.write(submissions.create, a_stored_one(form, queued=True, spam=True))
        before = await here.answer("submission.get", {"id": waiting})
        await here.store.write(submissions.release, here.organization.id, form.id, 1)
        await trio.sleep(FILING_SECONDS)
        after = await here.answer("submission.get", {"id": waiting})
        await here.answer("submission.attach", {"id": waiting})
        attached = await here.answer("submission.get", {"id": waiting})

        assert [("Queued", None), ("Held", "spam"), ("Filed", "spam")] == [
            (one["state"], one["heldReason"]) for one in (before, after, attached)
        ]


async def test_what_is_not_held_cannot_be_attached(autojump_clock):
    """Neither what waits its turn, nor what was filed by itself."""
    async with tool_town() as here:
        form = await here.answer("form.create", {"name": "Contact us"})
        done = await post(here, form, email="ada@example.com")
        waiting = await here.store.write(
            submissions.create, a_stored_one(await stored_form(here, form["id"]), queued=True)
        )
        answers = [await here.call("submission.attach", {"id": one}) for one in (done, waiting)]

        assert [(409, "conflict")] * 2 == [(one.status_code, one.json()["code"]) for one in answers]


async def test_another_organizations_submission_is_not_found(autojump_clock):
    """It is neither listed, nor shown, nor attached."""
    async with tool_town() as here:
        other = await here.store.write(provisioning.create, NewOrganization(name="Another"))
        form = await here.store.write(forms.create, other, NewForm(name="Theirs"))
        theirs = await here.store.write(submissions.create, a_stored_one(form, spam=True))
        await here.store.write(filing.file_due, await here.store.read(filing.target, other.id))
        answers = [await here.call(tool, {"id": theirs}) for tool in ("submission.get", "submission.attach")]

        assert [(404, "not_found")] * 2 == [(one.status_code, one.json()["code"]) for one in answers]
        assert ([], None) == await page(here)


async def test_a_bad_question_is_refused_by_its_place(autojump_clock):
    """A cursor belongs to its list, a limit and a state have their bounds."""
    async with tool_town() as here:
        form = await here.form()
        for _ in range(2):
            await here.store.write(submissions.create, a_stored_one(form, queued=True))
        _, cursor = await page(here, limit=1)
        answers = [
            await here.call("submission.list", asked)
            for asked in (
                {"cursor": cursor, "state": "Held"},
                {"cursor": "x"},
                {"limit": 0},
                {"limit": 201},
                {"state": "held"},
            )
        ]

        assert [(422, "/cursor"), (422, "/cursor"), (422, "/limit"), (422, "/limit"), (422, "/state")] == [
            (one.status_code, one.json()["errors"][0]["pointer"]) for one in answers
        ]


async def test_only_the_latest_visits_are_shown(autojump_clock):
    """So many, in the order in which the pages were seen."""
    async with tool_town() as here:
        await here.answer("site.create", {"domain": "lamps.example"})
        form = await here.answer("form.create", {"name": "Contact us"})
        for number in range(VISITS_SHOWN_MAX + 2):
            await here.client.post("/api/t", json={"url": f"https://lamps.example/{number}"})
            here.clock.jump(1_500)
        submission = await post(here, form, email="ada@example.com")
        shown = await here.answer("submission.get", {"id": submission})

        assert [f"https://lamps.example/{number}" for number in range(2, VISITS_SHOWN_MAX + 2)] == [
            one["url"] for one in shown["visits"]
        ]


def _store_many(tx: Tx, organization: Any, count: int) -> None:
    form = forms.create(tx, organization, NewForm(name="Many"))
    for number in range(count):
        submissions.create(tx, a_stored_one(form, f"p{number}@example.com", queued=True))


async def test_blocks_are_built_once_a_search_wants_them(autojump_clock):
    """A search looks at each submission until then; the Indexer builds as many as there are rows for."""
    async with tool_town() as here:
        await here.store.write(_store_many, here.organization, 2 * search_blocks.BLOCK_ROWS + 5)
        listed = [await page(here, limit=1)]
        await trio.sleep(1)
        before = await here.count(tables.submission_blocks)
        listed.append(await page(here, search="P7@"))
        await trio.sleep(1)
        built = await here.count(tables.submission_blocks)
        listed.append(await page(here, search="P7@"))
        await trio.sleep(1)
        after = await here.count(tables.submission_blocks)

        assert (0, 2, 2) == (before, built, after)
        assert [1, 1, 1] == [len(ids) for ids, _ in listed]
        assert listed[1] == listed[2]
        assert [] == await here.store.read(lambda conn: list(search_blocks.unlike_rows(conn)))
