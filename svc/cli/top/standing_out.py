"""What stands out among the actors, in a sentence each: what to look at first."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from svc.cli.top.figures import duration

LONG_SECONDS: Final = 2.0
"""A turn or a wait of that length is no healthy one; nor is a task of five times that."""
TASK_SECONDS: Final = 10.0

SHOWN_MAX: Final = 3


def standing_out(actors: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """The names of actors in trouble, each with what is wrong, in the order of *actors*."""
    for name, actor in actors.items():
        why = "; ".join(_troubles(actor))
        if why:
            yield name, why


def _troubles(actor: Mapping[str, Any]) -> Iterator[str]:
    turn_age, task_age = actor["turnAgeSeconds"] or 0.0, actor["taskAgeSeconds"] or 0.0
    depth, waited = actor["mailboxDepth"], actor["mailboxOldestSeconds"] or 0.0
    error = actor.get("lastError") or "an unknown error"
    times = "once" if actor["crashes"] == 1 else f"{actor['crashes']} times"
    if actor["phase"] == "quarantined":
        yield f"quarantined: it crashed again and again, the last time by {error}"
        return
    if actor["phase"] == "backing_off":
        yield f"it has crashed by {error}, and starts again"
    elif actor["crashes"]:
        yield f"it has crashed {times}, the last time by {error}"
    if turn_age >= LONG_SECONDS:
        disk = ", and waits for the disk" if actor["guardedWaits"] else ""
        yield f"its turn {actor['turn']} has run for {duration(turn_age)}{disk}"
    if depth and waited >= LONG_SECONDS:
        slow = "" if turn_age >= LONG_SECONDS else ", as its turns are too slow for what comes"
        messages = "1 message waits" if depth == 1 else f"{depth:,} messages wait"
        yield f"{messages}, the oldest for {duration(waited)}{slow}"
    if task_age >= TASK_SECONDS:
        yield f"its task {actor['task']} has run for {duration(task_age)}"
