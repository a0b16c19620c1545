"""What time makes of a reply on its way out: every limit of the contract, to the millisecond."""

import pytest

from svc.domain.channels.replies import (
    Dispatch,
    ReportedState,
    begin_push,
    cancel,
    put_off,
    queued,
    reach,
    report,
    resume,
    settle,
    take,
)

NOW = 1_800_000_000_000
MINUTE, HOUR = 60_000, 3_600_000


def lapsed(times: int, *, at: int = NOW) -> Dispatch:
    """A reply that was taken so often, and never reported on."""
    reply = queued(at)
    for lapse in range(times):
        reply = settle(take(reply, f"lse_{lapse}", at), at + MINUTE, paused=False)
        at += MINUTE
    return reply


def test_a_lease_ends_after_sixty_seconds_and_not_before():
    """Then the reply waits again, and has lapsed once."""
    taken = take(queued(NOW), "lse_1", NOW)

    assert taken == settle(taken, NOW + MINUTE - 1, paused=False)
    after = settle(taken, NOW + MINUTE, paused=False)
    assert ("waiting", 1, None) == (after.state, after.lapses, after.lease_expires_at)


def test_the_fifth_lapse_is_the_last():
    """After four it is offered again."""
    assert ("waiting", 4, None) == (lapsed(4).state, lapsed(4).lapses, lapsed(4).failure)
    assert ("failed", 5, "lapsed") == (lapsed(5).state, lapsed(5).lapses, lapsed(5).failure)


def test_a_reply_waits_for_an_hour_and_no_longer():
    """To the millisecond; the hour does not end what is taken, until its lease does."""
    reply = queued(NOW)
    late = take(reply, "lse_1", NOW + HOUR - 1)

    assert reply == settle(reply, NOW + HOUR - 1, paused=False)
    assert ("failed", "expired") == _end(settle(reply, NOW + HOUR, paused=False))
    assert late == settle(late, NOW + HOUR, paused=False)
    assert ("failed", "expired") == _end(settle(late, NOW + HOUR - 1 + MINUTE, paused=False))


def test_a_paused_reply_waits_and_has_a_whole_hour_again():
    """However long the pause was; leases end all the same."""
    reply = settle(queued(NOW), NOW + 100 * HOUR, paused=True)
    resumed = resume(reply, NOW + 100 * HOUR)
    taken = settle(take(queued(NOW), "lse_1", NOW), NOW + MINUTE, paused=True)

    assert "waiting" == reply.state
    assert resumed == settle(resumed, NOW + 101 * HOUR - 1, paused=False)
    assert ("failed", "expired") == _end(settle(resumed, NOW + 101 * HOUR, paused=False))
    assert ("waiting", 1) == (taken.state, taken.lapses)


def test_pushes_are_put_off_by_the_plan():
    """5 s, 30 s, 2 min, 5 min, then 10 min each; only by the push that is under way."""
    reply, waits = queued(NOW), []
    for attempt in range(1, 7):
        reply = put_off(begin_push(reply, NOW), attempt, NOW)
        waits.append((reply.offer_at - NOW) // 1_000)
    pushed = begin_push(reply, NOW)

    assert [5, 30, 120, 300, 600, 600] == waits
    assert pushed == put_off(pushed, 6, NOW)


def test_a_push_that_was_cut_off_is_no_lapse():
    """It waits again after its minute, however often that happens, and not after its hour."""
    reply = queued(NOW)
    for minute in range(59):
        reply = begin_push(reply, NOW + minute * MINUTE)
        assert reply == settle(reply, NOW + (minute + 1) * MINUTE - 1, paused=False)
        reply = settle(reply, NOW + (minute + 1) * MINUTE, paused=False)

    assert ("waiting", 0, 59) == (reply.state, reply.lapses, reply.attempts)
    assert ("failed", "expired") == _end(settle(reply, NOW + HOUR, paused=False))


def test_what_has_reached_its_bridge_is_taken_without_an_end():
    """Neither time, a pause nor a later push that fails changes it; a report does."""
    reached = reach(begin_push(queued(NOW), NOW))

    assert ("taken", None, None) == (reached.state, reached.lease_id, reached.lease_expires_at)
    assert reached == settle(reached, NOW + 1_000 * HOUR, paused=False) == put_off(reached, 1, NOW)
    assert cancel(reached) is None
    assert ["sent", "delivered", "read", "failed"] == [
        one for one in ("sent", "delivered", "read", "failed") if report(reached, one) is not None
    ]


@pytest.mark.parametrize("state", ["sent", "delivered", "read", "failed", "cancelled"])
def test_a_2xx_that_is_kept_late_undoes_no_end(state):
    """A bridge may report before it answers."""
    reply = Dispatch(state=state, expires_at=NOW + HOUR, offer_at=NOW)

    assert reply == reach(reply)


@pytest.mark.parametrize(
    ("state", "applies"),
    [
        ("waiting", "sent delivered read failed"),
        ("taken", "sent delivered read failed"),
        ("sent", "delivered read failed"),
        ("delivered", "read"),
        ("read", ""),
        ("failed", "delivered read"),
        ("cancelled", "delivered read"),
    ],
)
def test_statuses_only_go_forward(state, applies):
    """And `delivered` and `read` outdo that it failed."""
    reply = Dispatch(state=state, expires_at=NOW + HOUR, offer_at=NOW, lease_id="lse_1")
    statuses: tuple[ReportedState, ...] = ("sent", "delivered", "read", "failed")

    assert applies.split() == [one for one in statuses if report(reply, one) is not None]
    assert [] == [one for one in statuses if report(reply, one, "lse_2") is not None]


def test_only_what_waits_is_taken_back():
    """What a bridge has may be sent already."""
    assert "cancelled" == getattr(cancel(queued(NOW)), "state", None)
    assert cancel(take(queued(NOW), "lse_1", NOW)) is None


def _end(reply: Dispatch) -> tuple[str, str | None]:
    return reply.state, reply.failure
