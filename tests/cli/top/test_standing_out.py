"""What is said of an actor in trouble."""

from typing import Any

import pytest

from svc.cli.top.standing_out import LONG_SECONDS, TASK_SECONDS, standing_out
from tests.cli.top.test_app import actor

TIMED_OUT = {"crashes": 4, "lastError": "TurnTimedOut at outbox.py:120"}


@pytest.mark.parametrize(
    ("about", "why"),
    [
        (
            {"phase": "quarantined", **TIMED_OUT},
            "quarantined: it crashed again and again, the last time by TurnTimedOut at outbox.py:120",
        ),
        (
            {"phase": "backing_off", "crashes": 1, "lastError": "KeyError at filer.py:7"},
            "it has crashed by KeyError at filer.py:7, and starts again",
        ),
        ({"crashes": 1, "lastError": "KeyError"}, "it has crashed once, the last time by KeyError"),
        (
            {"turn": "push", "turnAgeSeconds": 14.0, "mailboxDepth": 7, "mailboxOldestSeconds": 13.0},
            "its turn push has run for 14 s; 7 messages wait, the oldest for 13 s",
        ),
        (
            {"turn": "push", "turnAgeSeconds": 200.0, "guardedWaits": 1},
            "its turn push has run for 3 min, and waits for the disk",
        ),
        (
            {"turn": "submit", "turnAgeSeconds": 0.5, "mailboxDepth": 1, "mailboxOldestSeconds": 2.0},
            "1 message waits, the oldest for 2.0 s, as its turns are too slow for what comes",
        ),
        ({"task": "_push", "taskAgeSeconds": TASK_SECONDS}, "its task _push has run for 10 s"),
    ],
)
def test_a_sentence_says_what_is_wrong(about: dict[str, Any], why: str) -> None:
    """What is stuck, for how long, and what waits behind it."""
    assert [("Desk/1", why)] == list(standing_out({"Desk/1": actor("1", **about)}))


def test_a_healthy_actor_does_not_stand_out() -> None:
    """However much it has to do, as long as nothing of it takes long."""
    busy = actor(
        "1", turn="submit", turnAgeSeconds=LONG_SECONDS - 1, mailboxDepth=90, mailboxOldestSeconds=1.9
    )
    idle = actor("2", task="_work", taskAgeSeconds=TASK_SECONDS - 1)

    assert [] == list(standing_out({"Desk/1": busy, "Desk/2": idle}))
