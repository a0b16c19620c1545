"""Presence: for how long somebody counts as there, and how many are remembered."""

import pytest
import trio

from svc.actors.inbox import presences
from svc.actors.inbox.presences import Presences
from svc.domain.inbox.limits import PRESENCE_SECONDS
from svc.domain.inbox.presence import Presence


async def test_somebody_is_there_until_they_leave_or_say_nothing(autojump_clock):
    """Half a minute after they last said so."""
    here = Presences()
    here.note("cnv_1", "usr_1", "looks")
    await trio.sleep(PRESENCE_SECONDS - 1)
    here.note("cnv_1", "usr_2", "writes")
    both = here.at("cnv_1")
    await trio.sleep(1)
    one = here.at("cnv_1")
    here.note("cnv_1", "usr_2", None)

    assert [Presence("usr_1", "looks"), Presence("usr_2", "writes")] == both
    assert [Presence("usr_2", "writes")] == one
    assert [] == here.at("cnv_1")
    assert 0 == here.statistics()


async def test_only_what_is_new_is_told(autojump_clock):
    """A page that says the same again, to be remembered, tells others nothing."""
    here = Presences()
    told = [here.note("cnv_1", "usr_1", what) for what in ("looks", "looks", "writes", "looks", None, None)]

    assert [True, False, True, True, True, False] == told


async def test_those_heard_of_longest_ago_are_forgotten_beyond_a_limit(
    autojump_clock, monkeypatch: pytest.MonkeyPatch
):
    """However many pages are open."""
    monkeypatch.setattr(presences, "PRESENCES_MAX", 2)
    here = Presences()
    for person in ("usr_1", "usr_2", "usr_1", "usr_3"):
        here.note("cnv_1", person, "looks")

    assert ["usr_1", "usr_3"] == [one.person_id for one in here.at("cnv_1")]
