"""The Filer: sets, one filing at a time, retries, and due submissions that only the Reconciler finds."""

import trio

from svc.actors.forms.filer import FILING_REST_MS, Filer
from svc.actors.forms.form_window import FormWindow
from svc.storage.forms import submissions
from svc.storage.store import Tx
from tests import tables
from tests.disk import Disk
from tests.town import a_post, a_stored_one, submit, town


async def test_under_load_submissions_are_filed_in_sets(autojump_clock):
    """The first is filed at once; what comes within the rest is filed together after it."""
    async with town() as here, here.live_system() as system:
        form = await here.form()
        await submit(system, form, 0)
        await trio.sleep(0.01)
        for number in range(1, 20):
            await submit(system, form, number)
            await trio.sleep(0.01)
        during_the_rest = await here.states()
        await trio.sleep(FILING_REST_MS / 1000)

        times = {row.filed_at for row in await here.rows(tables.submissions)}
        assert {"filed": 1, "due": 19} == during_the_rest
        assert 2 == len(times)
        assert {"filed": 20} == await here.states()


async def test_one_filing_at_a_time(autojump_clock):
    """Submissions that arrive while a filing waits for the disk are filed after it."""
    async with town() as here, here.live_system() as system:
        form = await here.form()
        await here.store.write(_insert_due_quietly, a_stored_one(form))
        Disk(here.store).seconds = 2
        tasks = []
        for _ in range(5):
            await Filer(system, here.organization.id).wake()
            await trio.sleep(0.1)
            seen = system.seen("Filer", here.organization.id)
            assert seen is not None
            tasks.append(seen.tasks)
        await trio.sleep(5)

        assert [1] * 5 == tasks
        assert {"filed": 1} == await here.states()


async def test_two_submissions_of_one_new_person_at_once_make_one_contact(autojump_clock):
    """Concurrent submissions of one person, through two forms, meet in one contact."""
    async with town() as here, here.live_system() as system:
        first, second = await here.form(), await here.form()

        async with trio.open_nursery() as nursery:
            for form in (first, second, first, second):
                nursery.start_soon(FormWindow(system, form.form_key).submit, a_post())
        await trio.sleep(2)

        assert {"filed": 4} == await here.states()
        assert 1 == await here.count(tables.records)


async def test_a_submission_that_crashes_its_filing_is_held_and_the_others_are_filed(autojump_clock):
    """One poisoned submission is put aside; it takes no other with it."""
    async with town() as here, here.live_system() as system:
        form = await here.form()
        ids = [
            await here.store.write(_insert_due_quietly, a_stored_one(form, f"p{number}@example.com"))
            for number in range(5)
        ]
        await here.store.write(_poison, ids[2])

        await Filer(system, here.organization.id).wake()
        await trio.sleep(1)

        rows = {row.id: (row.state, row.held_reason) for row in await here.rows(tables.submissions)}
        assert ("held", "error") == rows.pop(ids[2])
        assert {("filed", None)} == set(rows.values())


async def test_a_full_disk_delays_filing_and_loses_nothing(autojump_clock):
    """Filing goes on when the disk takes work again."""
    async with town() as here, here.live_system() as system:
        form = await here.form()
        await here.store.write(_insert_due_quietly, a_stored_one(form))
        async with here.full_disk(tables.records):
            await Filer(system, here.organization.id).wake()
            await trio.sleep(5)
            delayed = await here.states()

        await trio.sleep(5)

        assert {"due": 1} == delayed
        assert {"filed": 1} == await here.states()


def _insert_due_quietly(tx: Tx, new: submissions.NewSubmission) -> str:
    """A submission whose announcement was lost."""
    stored = submissions.create(tx, new)
    tx.changes.clear()
    return stored


def _poison(tx: Tx, submission_id: str) -> None:
    """Make filing it fail: what is stored of it cannot be read."""
    where = tables.submissions.c.id == submission_id
    tx.conn.execute(tables.submissions.update().where(where).values(mapped='{"city": "no such field"}'))
