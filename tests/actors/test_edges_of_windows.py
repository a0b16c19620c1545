"""Windows at their very edge: one that is rebuilt from what is stored opens when the live one does."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, func, select

from svc.actors.forms.form_window import FormWindow, PostRefused
from svc.actors.identity.organization import Organization
from svc.actors.identity.sign_in_gate import SignInGate
from svc.actors.sites.site_traffic import SiteTraffic
from svc.actors.system import System
from svc.domain.errors import TooManyAttempts
from svc.domain.forms.limits import (
    PACE_FILINGS_MAX,
    PACE_WINDOW_MS,
    QUEUE_SUBMISSIONS_MAX,
    QUEUE_WINDOW_MS,
    SENDER_SUBMISSIONS_MAX,
    SENDER_WINDOW_MS,
)
from svc.domain.identity.limits import PAIR_FAILURES_MAX, SIGN_IN_WINDOW_MS
from svc.domain.limits import CALL_WINDOW_MS, CALLS_MAX
from svc.domain.locale.times import YEAR_MS
from svc.domain.rate_limits.keyed_windows import KeyedWindows
from svc.domain.rate_limits.sliding_window import SlidingWindow
from svc.domain.sites.limits import SITE_VISITS_MAX, VISIT_WINDOW_MS
from svc.domain.sites.visits import PageView
from svc.storage.identity import sign_in
from svc.storage.sites import sites
from svc.storage.store import Tx
from tests import tables
from tests.people import a_member, a_stored_key
from tests.town import Town, a_post, submit, town

KEY = "k" * 8


class Limit(NamedTuple):
    """Something that may be done so often within a window, and how one more of it is tried."""

    window_ms: int
    fill: Callable[[Town, System, str], Awaitable[None]]
    retry_after_ms: Callable[[System, str], Awaitable[int | None]]
    """How long one more has to wait; None when it was taken."""


async def _submit_many(_here: Town, system: System, form_key: str) -> None:
    for _ in range(SENDER_SUBMISSIONS_MAX):
        await FormWindow(system, form_key).submit(a_post())


async def _submit_one(system: System, form_key: str) -> int | None:
    try:
        await FormWindow(system, form_key).submit(a_post())
    except PostRefused as refused:
        return refused.retry_after_ms
    return None


async def _queue_many(here: Town, system: System, form_key: str) -> None:
    [form] = await here.rows(tables.forms, form_key=form_key)
    for number in range(PACE_FILINGS_MAX + QUEUE_SUBMISSIONS_MAX):
        await submit(system, form, number)


async def _fail_many(_here: Town, system: System, _key: str) -> None:
    for _ in range(PAIR_FAILURES_MAX):
        failure = await SignInGate(system, "main").enter("ada@example.com", "192.0.2.1")
        await system.store.write(sign_in.note_failure, failure)


async def _sign_in_once(system: System, _key: str) -> int | None:
    try:
        await SignInGate(system, "main").enter("ada@example.com", "192.0.2.1")
    except TooManyAttempts as refused:
        return refused.retry_after_ms
    return None


async def _pace_many(_here: Town, system: System, form_key: str) -> None:
    for number in range(PACE_FILINGS_MAX):
        await FormWindow(system, form_key).submit(a_post(f"p{number}@example.com", f"10.0.0.{number}"))


async def _file_one(system: System, form_key: str) -> int | None:
    """Whether one more has its place in the pace at once; the queue says nothing of how long it takes."""
    address = f"10.1.0.{system.clock.now() % 250}"
    await FormWindow(system, form_key).submit(a_post(address=address))
    state = await FormWindow(system, form_key).snapshot()
    return 1 if state["waiting"] else None


async def _call_many(here: Town, system: System, _key: str) -> None:
    await here.store.write(_key_of_ada, here.organization.id)
    for _ in range(CALLS_MAX):
        assert await _call_once(system, "") is None


def _key_of_ada(tx: Tx, organization_id: str) -> None:
    person = a_member(tx, organization_id, "ada@example.com")
    a_stored_key(tx, person, KEY, expires_at=tx.now + YEAR_MS)


async def _call_once(system: System, _key: str) -> int | None:
    route = await system.identity.keys.find(KEY)
    assert route is not None
    allowance = (await Organization(system, route.organization_id).admit_key(KEY)).allowance
    return None if allowance.granted else allowance.reset_seconds


async def _view_many(here: Town, system: System, _key: str) -> None:
    await here.store.write(sites.create, here.organization.id, "lamps.example")
    for number in range(SITE_VISITS_MAX):
        await _view(system, number)


async def _view(system: System, number: int) -> None:
    page = PageView(url="https://lamps.example/", host="lamps.example", title=None, referrer=None)
    await SiteTraffic(system, "lamps.example").view(page, f"10.0.{number >> 8}.{number & 255}", "test")


async def _view_one(system: System, _key: str) -> int | None:
    before = await system.store.read(_count_visits)
    await _view(system, SITE_VISITS_MAX)
    return 1 if before == await system.store.read(_count_visits) else None


def _count_visits(conn: Connection) -> int:
    return conn.execute(select(func.count()).select_from(tables.visits)).scalar_one()


LIMITS = {
    "a sender's minute": Limit(SENDER_WINDOW_MS, _submit_many, _submit_one),
    "the pace": Limit(PACE_WINDOW_MS, _pace_many, _file_one),
    "the hour of the queue": Limit(QUEUE_WINDOW_MS, _queue_many, _submit_one),
    "failed sign-ins": Limit(SIGN_IN_WINDOW_MS, _fail_many, _sign_in_once),
}
ONLY_LIVE = {
    "the calls of a key": Limit(CALL_WINDOW_MS, _call_many, _call_once),
    "the views of a site": Limit(VISIT_WINDOW_MS, _view_many, _view_one),
}
"""Windows that a restart may open: nothing of them is stored."""


@pytest.mark.parametrize("limit", LIMITS.values(), ids=LIMITS)
@pytest.mark.parametrize("rebuilt", [False, True], ids=["live", "rebuilt"])
@pytest.mark.parametrize(("early_ms", "waits_ms"), [(1, 1), (0, None)], ids=["too early", "in time"])
async def test_a_window_that_was_rebuilt_opens_when_the_live_one_does(
    limit: Limit, rebuilt: bool, early_ms: int, waits_ms: int | None, autojump_clock
):
    """One millisecond before the window is over one more waits, for that millisecond, and at its end not."""
    async with town() as here:
        form_key = (await here.form()).form_key
        async with here.live_system() as system:
            await limit.fill(here, system, form_key)
            here.clock.jump(limit.window_ms - early_ms)
            if not rebuilt:
                assert waits_ms == await limit.retry_after_ms(system, form_key)
        if rebuilt:
            async with here.live_system() as system:
                assert waits_ms == await limit.retry_after_ms(system, form_key)


@pytest.mark.parametrize("limit", ONLY_LIVE.values(), ids=ONLY_LIVE)
async def test_a_window_opens_at_its_end(limit: Limit, autojump_clock):
    """And one millisecond before that it does not."""
    async with town() as here, here.live_system() as system:
        await limit.fill(here, system, "")
        here.clock.jump(limit.window_ms - 1)
        before = await limit.retry_after_ms(system, "")
        here.clock.jump(1)

        assert (1, None) == (before, await limit.retry_after_ms(system, ""))


EVENTS = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 100)), max_size=40)


@given(EVENTS, st.integers(0, 130))
def test_keyed_windows_that_were_read_back_answer_as_those_that_were_filled(
    events: list[tuple[str, int]], now: int
) -> None:
    """Whatever the storage leaves out as too old to count, and in whatever order it gives the rest."""
    window_ms, most = 30, 3
    filled = KeyedWindows(window_ms, most)
    for key, at in sorted(events, key=lambda event: event[1]):
        filled.add(key, at)
    kept = [(key, at) for key, at in events if at > now - window_ms]
    rebuilt = KeyedWindows(window_ms, most, kept)
    plain = {
        key: SlidingWindow(window_ms, most, [at for name, at in kept if name == key]).next_room_at(now)
        for key in "ab"
    }

    assert plain == {key: filled.next_room_at(key, now) for key in "ab"}
    assert plain == {key: rebuilt.next_room_at(key, now) for key in "ab"}
