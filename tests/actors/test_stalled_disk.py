"""A disk that stalls for longer than a turn: what may be on it is waited for before anything is decided."""

from bisect import bisect_left

import trio

from svc.actors.forms.filer import Filer
from svc.actors.forms.form_window import FormWindow
from svc.domain.forms.limits import PACE_FILINGS_MAX, PACE_WINDOW_MS
from svc.storage.channels import tables as channel_tables
from tests import tables
from tests.channels import channel_town, push_town
from tests.disk import Disk
from tests.town import START, Town, submit, town

STALL_SECONDS = 12
assert STALL_SECONDS > FormWindow.policy.turn_seconds
PASS_SECONDS = 300
QUEUED = 200


async def filed_within_a_minute_max(here: Town) -> int:
    """The most filings within any sliding minute."""
    times = sorted(row.filed_at for row in await here.rows(tables.submissions) if row.filed_at is not None)
    return max(number + 1 - bisect_left(times, at - PACE_WINDOW_MS + 1) for number, at in enumerate(times))


async def test_a_queue_pass_that_stalls_releases_once(autojump_clock):
    """60 filings a minute, as ever, and not 60 for each time that the pass was thought to have failed."""
    async with town() as here, here.live_system() as system:
        disk = Disk(here.store)
        form = await here.form()
        for number in range(PACE_FILINGS_MAX + QUEUED):
            await submit(system, form, number)
        await trio.sleep(PASS_SECONDS - 1)
        disk.seconds = STALL_SECONDS
        await trio.sleep(2)
        disk.seconds = 0
        await trio.sleep(5)
        [during] = system.actors("FormWindow")
        before = await here.states()
        await trio.sleep(STALL_SECONDS)
        after = await here.states()
        await trio.sleep(4 * 60)

        [seen] = system.actors("FormWindow")
        assert (60, 0) == (await filed_within_a_minute_max(here), seen.crashes)
        assert ("running", "pass_queue", 1) == (during.phase, during.turn, during.guarded_waits)
        assert {"filed": 60, "queued": QUEUED} == before
        assert {"filed": 120, "queued": QUEUED - 60} == after
        assert {"filed": 60 + QUEUED} == await here.states()


async def test_a_disk_that_always_stalls_keeps_the_pace(autojump_clock):
    """Every commit takes longer than a turn may: it is slow, and nothing of it is done twice."""
    async with town() as here, here.live_system() as system:
        form = await here.form()
        for number in range(PACE_FILINGS_MAX + QUEUED):
            await submit(system, form, number)
        Disk(here.store).seconds = STALL_SECONDS
        await trio.sleep(PASS_SECONDS + 10 * 60)

        assert {"filed": 60 + QUEUED} == await here.states()
        assert 60 == await filed_within_a_minute_max(here)
        assert {0} == {kind.crashes for kind in system.statistics().kinds}


async def test_a_submission_is_answered_with_the_truth(autojump_clock):
    """Its sender hears that it is stored when it is, and it counts once."""
    async with town() as here, here.live_system() as system:
        form = await here.form()
        disk = Disk(here.store)
        disk.seconds = STALL_SECONDS
        receipt = await submit(system, form, 1)
        disk.seconds = 0

        [seen] = system.actors("FormWindow")
        assert (None, 1, 0) == (receipt.relay, await here.count(tables.submissions), seen.crashes)
        assert STALL_SECONDS == trio.current_time()


async def test_a_pull_that_stalls_leases_once(autojump_clock):
    """The bridge is given what was taken for it, late, and its lease runs from when that was taken."""
    async with channel_town() as here:
        await here.write_reply()
        disk = Disk(here.store)
        disk.seconds = STALL_SECONDS
        [reply] = await here.pull()
        disk.seconds = 0
        again = await here.pull()
        [row] = await here.rows(channel_tables.replies)
        [seen] = here.system.actors("Outbox")

        assert ([], 1, 0, 0) == (again, row.attempts, row.lapses, seen.crashes)
        assert ("2026-09-18T00:01:00.000Z", START + 60_000) == (reply["leaseExpiresAt"], row.lease_expires_at)


async def test_pushes_that_were_taken_while_the_disk_stalled_are_sent_once(autojump_clock):
    """Taking them and noting how they went both stall: each reply is pushed once meanwhile."""
    async with push_town() as (here, receiver):
        await here.write_reply("a")
        await trio.sleep(1)
        disk = Disk(here.store)
        async with trio.open_nursery() as nursery:
            disk.seconds = STALL_SECONDS
            nursery.start_soon(here.write_reply, "b")
            await trio.sleep(4 * STALL_SECONDS)
            disk.seconds = 0
        [seen] = here.system.actors("Outbox")

        conversations = [body["data"]["conversationId"] for body in receiver.bodies]
        assert (["a", "b"], 0) == (conversations, seen.crashes)


async def test_a_crash_does_not_load_before_what_a_task_has_begun_is_on_disk(autojump_clock):
    """A filing under way when its Filer crashes: the next life loads what that filing made."""
    async with town() as here, here.live_system() as system:
        form = await here.form()
        disk = Disk(here.store)
        await submit(system, form, 1)
        disk.seconds = STALL_SECONDS
        await trio.sleep(0.1)
        filing = system.seen("Filer", here.organization.id)
        system._supervisors[Filer].live[here.organization.id].incarnation._task_error = KeyError("x")
        Filer(system, here.organization.id).wake.tell()
        await trio.sleep(1)
        stopping = system.seen("Filer", here.organization.id)
        disk.seconds = 0
        await trio.sleep(STALL_SECONDS)
        again = system.seen("Filer", here.organization.id)

        assert filing is not None
        assert stopping is not None
        assert again is not None
        assert [("waiting", 1), ("stopping", 1), ("waiting", 0)] == [
            (seen.phase, seen.guarded_waits) for seen in (filing, stopping, again)
        ]
        assert {"filed": 1} == await here.states()


async def test_a_drain_names_actors_that_wait_for_the_disk_and_the_end_does_not_wait(autojump_clock):
    """Both are bounded; the store finishes what it has accepted, and it is there."""
    async with town() as here:
        async with here.live_system() as system:
            form = await here.form()
            disk = Disk(here.store)
            async with trio.open_nursery() as nursery:
                disk.seconds = 100
                nursery.start_soon(submit, system, form, 1)
                await trio.sleep(1)
                late = await system.drain(5)
                at = trio.current_time()
                nursery.cancel_scope.cancel()
        ended_at = trio.current_time()
        disk.seconds = 0
        await trio.sleep(100)

        assert ([f"FormWindow({form.form_key!r})"], 6, 6) == (late, at, ended_at)
        assert {"due": 1} == await here.states()
