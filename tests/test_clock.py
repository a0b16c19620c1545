"""Time goes on whatever is done to the machine's clock: never backwards, and never standing still."""

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from svc.clock import WallClock
from svc.domain.limits import CLOCK_SET_BACK_MAX_MS, CLOCK_SLEW
from svc.domain.locale.times import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, YEAR_MS
from tests.town import START


class Machine:
    """A machine's clock, which runs with Trio's and can be set."""

    def __init__(self, at: int = START) -> None:
        self.set_by = 0
        self._at = at

    def __call__(self) -> float:
        return (self._at + self.set_by) / SECOND_MS + trio.current_time()


async def test_it_is_the_machines_time(autojump_clock):
    """If the machine's clock is not set, its time is read."""
    machine = Machine()
    clock = WallClock(machine)

    first = clock.now()
    await trio.sleep(3_600)

    assert (START, START + HOUR_MS) == (first, clock.now())
    assert clock.now() == clock.wall()


async def test_set_back_an_hour_it_goes_on_slower_until_they_meet(autojump_clock):
    """A minute later 54 seconds have passed; in ten hours it is the machine's time again."""
    machine = Machine()
    clock = WallClock(machine)
    before = clock.now()
    machine.set_by -= HOUR_MS

    at_once = clock.now()
    await trio.sleep(60)
    a_minute_on = clock.now()
    await trio.sleep(10 * 3_600 - 60 - 1)
    almost = clock.now() - clock.wall()
    await trio.sleep(2)

    assert before == at_once
    assert pytest.approx((1 - CLOCK_SLEW) * MINUTE_MS, abs=1) == a_minute_on - before
    assert pytest.approx(CLOCK_SLEW * SECOND_MS, abs=1) == almost
    assert clock.wall() == clock.now()


async def test_asked_often_while_it_catches_up_it_is_as_exact(autojump_clock):
    """No time is lost to rounding, however often the time is asked for."""
    machine = Machine()
    clock = WallClock(machine)
    before = clock.now()
    machine.set_by -= HOUR_MS

    for _ in range(10_000):
        await trio.sleep(0.000_7)
        clock.now()

    assert pytest.approx((1 - CLOCK_SLEW) * 7_000, abs=1) == clock.now() - before


@pytest.mark.parametrize("ms", [HOUR_MS, YEAR_MS])
async def test_a_leap_forward_shows_at_the_next_reading(ms, autojump_clock):
    """A machine that slept, or whose clock was put right, shows the right time at once."""
    machine = Machine()
    clock = WallClock(machine)
    clock.now()

    machine.set_by += ms

    assert START + ms == clock.now()


@given(
    steps=st.lists(
        st.tuples(
            st.integers(1, 100_000),
            st.sampled_from([0, 0, 0, 7, -7, HOUR_MS, -HOUR_MS, DAY_MS, -DAY_MS, YEAR_MS, -YEAR_MS]),
        ),
        max_size=40,
    )
)
def test_whatever_is_done_to_the_machines_clock_time_goes_on(steps):
    """It never goes back, is never behind the machine's, and runs at nine tenths of the pace at least."""

    async def live() -> None:
        machine = Machine()
        clock = WallClock(machine)
        last, last_at = clock.now(), trio.current_time()
        for ms, set_by in steps:
            await trio.sleep(ms / SECOND_MS)
            machine.set_by += set_by
            now, at = clock.now(), trio.current_time()
            assert now - last >= (1 - CLOCK_SLEW) * (at - last_at) * SECOND_MS - 1
            assert now >= clock.wall()
            last, last_at = now, at

    trio.run(live, clock=trio.testing.MockClock(autojump_threshold=0))


async def test_a_start_goes_on_from_what_is_stored(autojump_clock):
    """After a start under a clock that was set back, no time before the stored one is read."""
    clock = WallClock(Machine(START - HOUR_MS))

    clock.start_from([START - DAY_MS, START])
    first = clock.now()
    await trio.sleep(1)

    assert START == first
    assert pytest.approx(900, abs=1) == clock.now() - first


async def test_a_start_does_not_believe_what_lies_years_ahead(autojump_clock):
    """Times that a wrong clock has stored are logged, and not continued from; others still are."""
    clock = WallClock(Machine())
    with capture_logs() as logs:
        clock.start_from([START + 2 * YEAR_MS, START + MINUTE_MS])

    assert START + MINUTE_MS == clock.now()
    assert [("error", 730.0)] == [(one["log_level"], one["days"]) for one in logs]


async def test_the_bound_of_what_a_start_goes_on_from(autojump_clock):
    """A day is bridged; a millisecond more is not."""
    within, beyond = WallClock(Machine()), WallClock(Machine())

    within.start_from([START + CLOCK_SET_BACK_MAX_MS])
    beyond.start_from([START + CLOCK_SET_BACK_MAX_MS + 1])

    assert (START + CLOCK_SET_BACK_MAX_MS, START) == (within.now(), beyond.now())


@pytest.mark.parametrize(
    ("set_back", "level"), [(SECOND_MS, None), (HOUR_MS, "warning"), (2 * YEAR_MS, "error")]
)
async def test_an_operator_hears_of_a_clock_that_was_set_back(set_back, level, autojump_clock):
    """Once an hour; and of one that was put right by years, that a restart takes it up."""
    machine = Machine()
    clock = WallClock(machine)
    clock.now()
    machine.set_by -= set_back

    with capture_logs() as logs:
        for _ in range(100):
            clock.now()
            await trio.sleep(36)

    assert ([] if level is None else [level]) == [one["log_level"] for one in logs]
