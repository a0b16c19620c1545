"""Queues as operators see them: those of one noun, the one with the oldest item first."""

from collections.abc import Callable, Iterable
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec
import sqlalchemy as sa

from svc.domain.ids import time_of

LISTED_MAX: Final = 20
"""Queues listed of a noun. The others are counted."""

Noun = Literal[
    "submissions",
    "events",
    "deliveries",
    "replies",
    "mails",
    "runs",
    "agentRuns",
    "approvals",
    "imports",
    "exports",
]


class Oldest(NamedTuple):
    """The oldest item of a queue."""

    id: str
    since: int
    """Since when it waits, in ms since the epoch; for what has a time of its own, since it is due."""
    why: str
    """Why it waits, in words that have no value from outside."""


class Queue(msgspec.Struct, frozen=True, kw_only=True):
    """What waits of one noun for one worker, such as the deliveries of a subscription."""

    organization_id: str
    count: int
    oldest_id: str
    oldest_since: int
    worker: str
    """The id of the subscription, connection or conversation, the key of the form, or else the
    organization's id."""
    why: str


class Backlog(msgspec.Struct, frozen=True, kw_only=True):
    """What waits of one noun, in all organizations."""

    noun: Noun
    count: int
    organizations: int
    oldest_since: int | None
    queues: list[Queue]
    """Those with the oldest items, the oldest first; at most `LISTED_MAX`."""


class Group(NamedTuple):
    """Items that one worker has to do, such as the deliveries of a subscription."""

    organization_id: str
    worker: str
    number: int
    """How many they are."""
    oldest: str | int
    """The smallest of their ids; or of what has a time of its own, the earliest time, ms since the epoch."""


Explain: TypeAlias = Callable[[sa.Connection, Group, int], Oldest | None]
"""The oldest item of a group, as it is now; None if it no longer waits."""


def backlog(conn: sa.Connection, now: int, noun: Noun, groups: Iterable[Group], explain: Explain) -> Backlog:
    """What waits, of *groups*; of the listed ones the oldest item is read."""
    oldest_first = sorted(groups, key=_age_order)
    queues = []
    for group in oldest_first[:LISTED_MAX]:
        oldest = explain(conn, group, now)
        if oldest is not None:
            queues.append(
                Queue(
                    organization_id=group.organization_id,
                    count=group.number,
                    oldest_id=oldest.id,
                    oldest_since=oldest.since,
                    worker=group.worker,
                    why=oldest.why,
                )
            )
    queues.sort(key=lambda one: one.oldest_since)
    return Backlog(
        noun=noun,
        count=sum(one.number for one in oldest_first),
        organizations=len({one.organization_id for one in oldest_first}),
        oldest_since=min((one.oldest_since for one in queues), default=None),
        queues=queues,
    )


def age(ms: int) -> str:
    """A time in words, such as `40 s` or `3 h`."""
    seconds = max(ms, 0) / 1000
    if seconds < 120:  # noqa: PLR2004  # two of the next unit are told in this one, as below
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 2 * 60 * 60 else f"{seconds / 3_600:.0f} h"


def times(number: int) -> str:
    """`once`, `twice`, `3 times`."""
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def _age_order(group: Group) -> tuple[int, str]:
    """By the time of the oldest item, and of one time by what was made first."""
    if isinstance(group.oldest, int):
        return group.oldest, group.worker
    try:
        return time_of(group.oldest.partition("_")[2]), group.oldest
    except ValueError:  # a person's SQL may have stored any id
        return 0, group.oldest
