"""`submission.discard` and `submission.restore`: spam is thrown away by its ids, and brought back."""

from typing import Any

import trio

from svc.domain.forms.forms import Form, NewForm
from svc.domain.forms.limits import DISCARDED_AT_ONCE_MAX, PACE_FILINGS_MAX, QUEUE_PASS_MS
from svc.domain.locale.times import SECOND_MS
from svc.storage import provisioning
from svc.storage.forms import forms, submissions
from svc.storage.identity.organizations import NewOrganization
from tests import tables
from tests.tooling import ToolTown, tool_town
from tests.town import a_stored_one, submit

PASS_SECONDS = QUEUE_PASS_MS / SECOND_MS


async def spam(here: ToolTown, form: Form, count: int) -> list[str]:
    """So many submissions that are held as spam."""
    ids = [await here.store.write(submissions.create, a_stored_one(form, spam=True)) for _ in range(count)]
    await trio.sleep(1)
    assert {"held": count} == await here.states()
    return ids


async def test_spam_is_discarded_shown_where_it_is_asked_for_and_restored(autojump_clock):
    """One by its id, several by theirs; each has its audit row, and none can be attached meanwhile."""
    async with tool_town() as here:
        form = await here.form()
        ids = await spam(here, form, 3)
        events = await here.count(tables.events)
        one = await here.answer("submission.discard", {"id": ids[0]})
        two = await here.answer("submission.discard", {"ids": [ids[1], "sub_none", ids[1]]})
        rest = await here.answer("submission.list", {})
        gone = await here.answer("submission.list", {"discarded": True, "total": True})
        shown = await here.answer("submission.get", {"id": ids[0]})
        attached = await here.call("submission.attach", {"id": ids[0]})
        counts = await here.answer("submission.counts", {})
        recent = await here.answer("form.get", {"id": form.id})
        back = await here.answer("submission.restore", {"ids": [ids[0], ids[1]]})
        audit = [(row.action, row.target) for row in await here.rows(tables.audit)][-4:]

        assert {"discarded": [ids[0]], "refused": []} == one
        assert {"discarded": [ids[1]], "refused": [{"id": "sub_none", "code": "not_found"}]} == two
        assert [ids[2]] == [line["id"] for line in rest["submissions"]]
        assert ([ids[1], ids[0]], {"count": 2, "exact": True}) == (
            [line["id"] for line in gone["submissions"]],
            gone["total"],
        )
        assert ("Held", "spam") == (shown["state"], shown["heldReason"])
        assert shown["discardedAt"] == gone["submissions"][1]["discardedAt"] is not None
        assert shown["discardedBy"].startswith("key_")
        assert (409, "conflict") == (attached.status_code, attached.json()["code"])
        assert (1, 1) == (counts["held"], counts["days"][-1]["submissions"])
        assert [ids[2]] == [line["id"] for line in recent["recentSubmissions"]]
        assert {"restored": [ids[0], ids[1]], "refused": []} == back
        assert [
            ("submission.discard", ids[0]),
            ("submission.discard", ids[1]),
            ("submission.restore", ids[0]),
            ("submission.restore", ids[1]),
        ] == audit
        assert {"held": 3} == await here.states()
        assert events == await here.count(tables.events)


async def test_a_queued_one_is_not_filed_until_it_is_restored(autojump_clock):
    """The queue goes on without it; restored, it begins another, which is passed as the first was."""
    async with tool_town() as here:
        form = await here.form()
        for number in range(PACE_FILINGS_MAX + 2):
            await submit(here.system, form, number)
        queued = [row.id for row in await here.rows(tables.submissions, state="queued")]
        await here.answer("submission.discard", {"id": queued[0]})
        await trio.sleep(PASS_SECONDS + 1)
        passed = await here.states()
        await here.answer("submission.restore", {"id": queued[0]})
        await trio.sleep(PASS_SECONDS - 1)
        restored = await here.states()
        await trio.sleep(2)

        assert {"filed": PACE_FILINGS_MAX + 1, "discarded": 1} == passed
        assert {"filed": PACE_FILINGS_MAX + 1, "queued": 1} == restored
        assert {"filed": PACE_FILINGS_MAX + 2} == await here.states()


async def test_after_a_queue_was_discarded_nothing_waits_behind_it(autojump_clock):
    """What comes as soon as there is room again is filed at once."""
    async with tool_town() as here:
        form = await here.form()
        for number in range(PACE_FILINGS_MAX + 2):
            await submit(here.system, form, number)
        queued = [row.id for row in await here.rows(tables.submissions, state="queued")]
        await here.answer("submission.discard", {"ids": queued})
        await trio.sleep(61)
        await submit(here.system, form, 1_000)
        await trio.sleep(1)

        assert {"filed": PACE_FILINGS_MAX + 1, "discarded": 2} == await here.states()


async def test_one_without_its_audit_row_is_not_discarded(autojump_clock):
    """All is one transaction: what cannot be written whole changes nothing."""
    async with tool_town() as here:
        ids = await spam(here, await here.form(), 2)
        async with here.full_disk(tables.audit):
            answer = await here.call("submission.discard", {"ids": ids})

        assert 503 == answer.status_code
        assert {"held": 2} == await here.states()


async def test_which_ones_is_said_in_one_way(autojump_clock):
    """Either `id` or `ids`, and not too many; those of another organization are not there."""
    async with tool_town() as here:
        other = await here.store.write(provisioning.create, NewOrganization(name="Other"))
        theirs = await here.store.write(forms.create, other, NewForm(name="Theirs"))
        foreign = await here.store.write(submissions.create, a_stored_one(theirs, queued=True))
        asked: tuple[dict[str, Any], ...] = (
            {},
            {"id": foreign, "ids": [foreign]},
            {"ids": []},
            {"ids": [foreign] * (DISCARDED_AT_ONCE_MAX + 1)},
        )
        for tool, done in (("submission.discard", "discarded"), ("submission.restore", "restored")):
            answers = [await here.call(tool, body) for body in asked]
            not_there = await here.answer(tool, {"id": foreign})

            assert [(422, ""), (422, ""), (422, "/ids"), (422, "/ids")] == [
                (one.status_code, one.json()["errors"][0]["pointer"]) for one in answers
            ]
            assert {done: [], "refused": [{"id": foreign, "code": "not_found"}]} == not_there
