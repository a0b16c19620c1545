"""A clock that is set back or leaps: limits, leases and orders hold, while running and over a restart."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest
import trio
from sqlalchemy import select

from svc.actors.channels.outbox import Outbox
from svc.actors.forms.form_window import FormWindow, PostRefused
from svc.actors.identity.sign_in_gate import SignInGate
from svc.actors.system import System
from svc.clock import Clock, VirtualClock, WallClock
from svc.domain.channels.limits import LEASE_MS
from svc.domain.channels.messages import OutboundReply
from svc.domain.crypto.sealing import Sealer
from svc.domain.errors import TooManyAttempts
from svc.domain.forms.limits import PACE_FILINGS_MAX, QUEUE_PASS_MS, SENDER_SUBMISSIONS_MAX, SENDER_WINDOW_MS
from svc.domain.identity.limits import CONFIRMATION_MS, PAIR_FAILURES_MAX, SESSION_LIFE_MS, SIGN_IN_WINDOW_MS
from svc.domain.identity.organizations import Organization
from svc.domain.identity.sessions import is_fresh
from svc.domain.ids import time_of
from svc.domain.limits import CLOCK_SLEW
from svc.domain.locale.times import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, YEAR_MS, day_of
from svc.http.app import public_app
from svc.storage import provisioning
from svc.storage.channels import keys as channel_keys
from svc.storage.channels import tables as channel_tables
from svc.storage.channels.reply_batches import PulledBatch
from svc.storage.clock import future_times
from svc.storage.forms import forms, submissions
from svc.storage.identity import organizations, sessions, sign_in
from svc.storage.identity.organizations import NewOrganization
from svc.storage.sqlite.inline import inline_store
from svc.storage.store import Store, Tx
from tests import tables
from tests.channels import Receiver, a_connection, a_reply
from tests.http.asking import client_of
from tests.people import a_member
from tests.test_clock import Machine
from tests.tooling import tool_town
from tests.town import SECRETS, START, Town, a_post, a_stored_one, submit


class Shop:
    """An installation on a disk, that is started and stopped under clocks of all kinds."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @asynccontextmanager
    async def started(self, clock: Clock) -> AsyncIterator[Town]:
        """A new store over what is stored: it remembers no ids."""
        async with inline_store(clock, self._path, sealer=Sealer(SECRETS.sealing)) as store:
            yield Town(store, cast("VirtualClock", clock), await _organization(store))


async def pulled(system: System, connection_id: str) -> tuple[OutboundReply, ...]:
    """The replies that the bridge of that connection can pull now."""
    batch = await Outbox(system, connection_id).pull(50)
    assert isinstance(batch, PulledBatch)
    return batch.replies


async def _organization(store: Store) -> Organization:
    found = await store.read(organizations.list_all)
    asked = NewOrganization(name="Lamps & Co", country="DE", plan="business")
    return found[0] if found else await store.write(provisioning.create, asked)


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path / "svc.db")


def virtual(at: int) -> VirtualClock:
    """A clock that now reads *at*, whatever is stored."""
    return VirtualClock(at - round(trio.current_time() * SECOND_MS))


def machine(at: int) -> Machine:
    """A machine whose clock shows *at* now."""
    return Machine(at - round(trio.current_time() * SECOND_MS))


async def only_form(here: Town) -> Any:
    found = await here.store.read(forms.list_all, here.organization.id)
    return found[0] if found else await here.form()


async def fill_sender(system: System, form: Any) -> None:
    for _ in range(SENDER_SUBMISSIONS_MAX):
        await FormWindow(system, form.form_key).submit(a_post())


async def retry_after_ms(system: System, form: Any) -> int:
    with pytest.raises(PostRefused) as refused:
        await FormWindow(system, form.form_key).submit(a_post())
    assert refused.value.retry_after_ms is not None
    return refused.value.retry_after_ms


# While it runs.


async def test_set_back_while_it_runs_windows_go_on(shop: Shop, autojump_clock: Any) -> None:
    """A sender's minute ends after 67 seconds at most, and not an hour later; the queue is passed."""
    its_clock = machine(START)
    async with shop.started(WallClock(its_clock)) as here, here.live_system() as system:
        form = await here.form()
        await fill_sender(system, form)
        for number in range(PACE_FILINGS_MAX):
            await submit(system, form, number)

        its_clock.set_by -= HOUR_MS
        wait_ms = await retry_after_ms(system, form)
        await trio.sleep(67)
        await FormWindow(system, form.form_key).submit(a_post())
        await trio.sleep(QUEUE_PASS_MS / SECOND_MS + 67)

        assert wait_ms <= SENDER_WINDOW_MS
        assert {"filed": SENDER_SUBMISSIONS_MAX + PACE_FILINGS_MAX + 1} == await here.states()


async def test_set_back_while_it_runs_leases_lapse(shop: Shop, autojump_clock: Any) -> None:
    """What a bridge does not report comes back after 67 seconds at most."""
    its_clock = machine(START)
    async with shop.started(WallClock(its_clock)) as here, here.live_system() as system:
        connection = await here.store.write(a_connection, here.organization.id)
        await here.store.write(a_reply, connection)
        [first] = await pulled(system, connection.id)

        its_clock.set_by -= HOUR_MS
        await trio.sleep(67)
        [again] = await pulled(system, connection.id)

        assert (first.reply_id, 2) == (again.reply_id, again.attempt)


async def test_set_back_while_it_runs_pushes_are_signed_at_the_machines_time(
    shop: Shop, autojump_clock: Any
) -> None:
    """A bridge whose own clock is right goes on taking them for recent."""
    its_clock, receiver = machine(START), Receiver()
    async with shop.started(WallClock(its_clock)) as here:
        here.outbound_http = receiver
        async with here.live_system():
            asked: dict[str, Any] = {"delivery": "push", "url": "https://bridge.example/hook"}
            connection = await here.store.write(a_connection, here.organization.id, **asked)
            its_clock.set_by -= HOUR_MS
            await here.store.write(a_reply, connection)
            await trio.sleep(1)

        [(_, _, _, headers)] = receiver.got
        assert START - HOUR_MS == int(headers["webhook-timestamp"]) * SECOND_MS


async def test_set_back_while_it_runs_a_long_poll_ends(shop: Shop, autojump_clock: Any) -> None:
    """After as many seconds as were asked for."""
    its_clock = machine(START)
    async with shop.started(WallClock(its_clock)) as here, here.live_system() as system:
        connection = await here.store.write(a_connection, here.organization.id)
        minted = await here.store.write(channel_keys.mint, here.organization.id, connection.id)
        asked: dict[str, Any] = {
            "json": {"waitSeconds": 20},
            "headers": {"authorization": f"Bearer {minted.key}"},
        }
        async with client_of(public_app(system)) as client:
            its_clock.set_by -= HOUR_MS
            began = trio.current_time()
            answer = await client.post("/api/channels/v1/channel.outbox.pull", **asked)

        assert {"ok": True, "replies": [], "more": False} == answer.json()
        assert pytest.approx(20, abs=0.01) == trio.current_time() - began


@pytest.mark.parametrize("leap_ms", [HOUR_MS // 2, YEAR_MS])
async def test_after_a_leap_everything_goes_on_within_a_round(
    shop: Shop, leap_ms: int, autojump_clock: Any
) -> None:
    """What ended meanwhile is settled within a minute of awake time, without a request."""
    its_clock = machine(START)
    async with shop.started(WallClock(its_clock)) as here, here.live_system() as system:
        form = await here.form()
        connection = await here.store.write(a_connection, here.organization.id)
        for text in ("first", "second"):
            await here.store.write(a_reply, connection, text=text)
        await Outbox(system, connection.id).pull(1)
        await fill_sender(system, form)

        its_clock.set_by += leap_ms
        await FormWindow(system, form.form_key).submit(a_post())
        await trio.sleep(62)

        first, second = await here.rows(channel_tables.replies)
        assert {"filed": SENDER_SUBMISSIONS_MAX + 1} == await here.states()
        if leap_ms < HOUR_MS:
            assert ("waiting", 1, "waiting", 0) == (first.state, first.lapses, second.state, second.lapses)
        else:
            assert [("failed", "expired")] * 2 == [(one.state, one.failure) for one in (first, second)]


# Over a restart under a clock that was set back by an hour.


async def test_a_start_under_an_earlier_clock_goes_on_after_what_is_stored(
    shop: Shop, autojump_clock: Any
) -> None:
    """A crash leaves no goodbye: the newest ids and the last mark say how late it was."""
    async with shop.started(virtual(START)) as here, here.live_system():
        form = await here.form()
    async with shop.started(WallClock(machine(START - HOUR_MS))) as here, here.live_system():
        again = await here.form()
        assert START <= here.clock.now() <= START + MINUTE_MS

        assert form.id < again.id
        assert again.created_at >= form.created_at  # type: ignore[attr-defined]


async def test_the_mark_says_how_late_it_was_where_no_row_does(shop: Shop, autojump_clock: Any) -> None:
    """A service that ran for hours and stored nothing is gone on from within a minute."""
    async with shop.started(virtual(START)) as here, here.live_system():
        await trio.sleep(5 * 3_600 + 30)

    async with shop.started(WallClock(machine(START + HOUR_MS))) as here:
        assert START + 5 * HOUR_MS == here.clock.now()


async def test_a_sender_waits_no_longer_than_the_window_after_a_restart(
    shop: Shop, autojump_clock: Any
) -> None:
    """Whether the start goes on from what is stored, or does not believe it."""
    async with shop.started(virtual(START)) as here, here.live_system() as system:
        await fill_sender(system, await here.form())

    for clock in (WallClock(machine(START - HOUR_MS)), virtual(START - HOUR_MS)):
        async with shop.started(clock) as here, here.live_system() as system:
            wait_ms = await retry_after_ms(system, await only_form(here))
            assert 0 < wait_ms <= SENDER_WINDOW_MS


async def test_replies_keep_their_order_over_a_restart(shop: Shop, autojump_clock: Any) -> None:
    """A reply that was written under the earlier clock goes out after those that were there before."""
    async with shop.started(virtual(START)) as here, here.live_system() as system:
        connection = await here.store.write(a_connection, here.organization.id)
        await here.store.write(a_reply, connection, text="first")
        [first] = await pulled(system, connection.id)

    async with shop.started(WallClock(machine(START - HOUR_MS))) as here, here.live_system() as system:
        await here.store.write(a_reply, connection, text="second")
        while_taken = await pulled(system, connection.id)
        await trio.sleep(LEASE_MS / SECOND_MS / (1 - CLOCK_SLEW))
        [offered] = await pulled(system, connection.id)

        rows = await here.rows(channel_tables.replies)
        assert [first.reply_id, offered.reply_id] == [offered.reply_id, rows[0].id]
        assert () == while_taken


async def test_a_queue_keeps_its_order_over_a_restart(shop: Shop, autojump_clock: Any) -> None:
    """Submissions queued before the restart are filed before those queued after it, and in the next pass."""
    async with shop.started(virtual(START)) as here, here.live_system() as system:
        form = await here.form()
        for number in range(PACE_FILINGS_MAX + 3):
            await submit(system, form, number)

    async with shop.started(WallClock(machine(START - HOUR_MS))) as here, here.live_system() as system:
        await submit(system, form, 1_000)
        await trio.sleep((QUEUE_PASS_MS + MINUTE_MS) / SECOND_MS / (1 - CLOCK_SLEW) + 1)

        rows = await here.rows(tables.submissions)
        assert {"filed": PACE_FILINGS_MAX + 4} == await here.states()
        assert "p1000@example.com" == rows[-1].email
        assert time_of(rows[-1].id.partition("_")[2]) >= START


# Over a restart after the clock was wrong by years, and was put right.


async def test_a_clock_that_was_years_ahead_leaves_nothing_waiting_for_years(
    shop: Shop, autojump_clock: Any
) -> None:
    """Leases, lives, sessions and failures end as if they had begun now, and the limits are what they are."""
    async with shop.started(virtual(START + 2 * YEAR_MS)) as here, here.live_system() as system:
        form = await here.form()
        connection = await here.store.write(a_connection, here.organization.id)
        await here.store.write(a_reply, connection, text="first")
        await here.store.write(a_reply, connection, text="second")
        await Outbox(system, connection.id).pull(1)
        await here.store.write(_open_session, here.organization.id)
        await fill_sender(system, form)
        for _ in range(PAIR_FAILURES_MAX):
            attempt = await SignInGate(system, "main").enter("ada@example.com", "192.0.2.1")
            await here.store.write(_note, attempt)

    async with shop.started(WallClock(machine(START))) as here, here.live_system() as system:
        assert START == here.clock.now()
        assert day_of(START) == max(await here.store.read(_days))
        assert await retry_after_ms(system, form) <= SENDER_WINDOW_MS
        with pytest.raises(TooManyAttempts) as paced:
            await SignInGate(system, "main").enter("ada@example.com", "192.0.2.1")
        assert paced.value.retry_after_ms <= SIGN_IN_WINDOW_MS
        [session] = await here.rows(tables.sessions)
        assert START + SESSION_LIFE_MS == session.expires_at

        await trio.sleep(LEASE_MS / SECOND_MS)
        [offered] = await pulled(system, connection.id)
        await FormWindow(system, form.form_key).submit(a_post())
        await trio.sleep(1)
        assert ("first", 2) == (offered.text, offered.attempt)
        assert {"filed": SENDER_SUBMISSIONS_MAX + 1} == await here.states()
        assert START + MINUTE_MS + 2 * SECOND_MS > max(
            row.updated_at for row in await here.rows(tables.records)
        )


async def test_ids_go_on_after_those_that_lie_years_ahead(shop: Shop, autojump_clock: Any) -> None:
    """Their order stays that of their making, and at the next start nothing is put right any more."""
    async with shop.started(virtual(START + 2 * YEAR_MS)) as here, here.live_system():
        made = [await here.form()]
    for later in (0, DAY_MS):
        async with shop.started(WallClock(machine(START + later))) as here, here.live_system():
            assert START + later == here.clock.now()
            made += [await here.form(), await here.form()]
            await trio.sleep(61)

    assert sorted(one.id for one in made) == [one.id for one in made]


async def test_the_hour_of_a_form_is_bounded_where_ids_lie_ahead(shop: Shop, autojump_clock: Any) -> None:
    """What was stored long ago under ids of later times does not count as queued within the hour."""
    async with shop.started(virtual(START + 2 * YEAR_MS)) as here, here.live_system():
        form = await here.form()
    async with shop.started(virtual(START)) as here, here.live_system() as system:
        for number in range(PACE_FILINGS_MAX + 5):
            await submit(system, form, number)
        await trio.sleep(2 * 3_600)
    async with shop.started(virtual(START + 2 * HOUR_MS)) as here, here.live_system() as system:
        await submit(system, form, 1_000)
        await trio.sleep(1)

        assert {"filed": PACE_FILINGS_MAX + 6} == await here.states()


async def test_what_is_not_ahead_of_now_stays_as_it_is(shop: Shop, autojump_clock: Any) -> None:
    """Putting stored times right changes none that can be."""
    async with shop.started(virtual(START)) as here, here.live_system() as system:
        connection = await here.store.write(a_connection, here.organization.id)
        await here.store.write(a_reply, connection)
        await Outbox(system, connection.id).pull(1)
        await here.store.write(a_stored_submission, await here.form())
        await here.store.write(_open_session, here.organization.id)
        await trio.sleep(1)
        before = await _all_rows(here)

        await here.store.write(future_times.put_right)

        assert before == await _all_rows(here)


async def _all_rows(here: Town) -> list[Any]:
    return [
        [tuple(row) for row in await here.rows(table)]
        for table in (channel_tables.replies, tables.submissions, tables.sessions)
    ]


def test_a_confirmation_in_the_future_does_not_count(autojump_clock: Any) -> None:
    """A confirmation that a wrong clock noted hands out no secrets."""
    assert not is_fresh(START + 1, START)
    assert is_fresh(START, START + CONFIRMATION_MS - 1)


def a_stored_submission(tx: Tx, form: Any) -> None:
    submissions.create(tx, a_stored_one(form))


def _open_session(tx: Tx, organization_id: str) -> None:
    sessions.create(tx, a_member(tx, organization_id, "ada@example.com").id, "digest", "test")


def _note(tx: Tx, attempt: Any) -> None:
    sign_in.note_failure(tx, attempt)


def _days(conn: Any) -> list[int]:
    return list(conn.scalars(select(tables.visitor_keys.c.day)))


async def test_a_use_that_was_noted_in_the_future_is_noted_again(autojump_clock: Any) -> None:
    """Of keys and of sessions: people see when they were used last, and an idle session ends in time."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        await here.store.write(_use_in_the_future)
        here.system.identity.sessions.clear()
        here.system.identity.access_revisions.note(here.organization.id)

        await here.answer("record.list", {"objectType": "contact"})
        await here.answer_to_person("record.list", {"objectType": "contact"}, csrf=csrf)
        await trio.sleep(2)

        [key] = await here.rows(tables.api_keys)
        [session] = await here.rows(tables.sessions)
        assert (START, START) == (key.last_used_at, session.seen_at)


def _use_in_the_future(tx: Tx) -> None:
    tx.conn.execute(tables.api_keys.update().values(last_used_at=tx.now + YEAR_MS))
    tx.conn.execute(tables.sessions.update().values(seen_at=tx.now + YEAR_MS))
