"""A look at all actors that leaves the event loop its turns: the directory is gone through in slices.

Of an actor only what it is ranked by is read; whole statistics are made of those that are listed.
"""

from collections.abc import Callable, Iterable
from functools import partial
from heapq import heappush, heapreplace
from itertools import count, islice
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import msgspec
import trio

from svc.actors._core.statistics import ActorStatistics, KindStatistics, Phase

if TYPE_CHECKING:
    from svc.actors._core.activation import Activation
    from svc.actors._core.supervisor import Supervisor

SLICE: Final = 1_000
"""Actors that are looked at before other tasks have their turn: one or two milliseconds."""

LISTED_MAX: Final = 200

TROUBLE_SECONDS_MIN: Final = 1.0
"""What runs or waits for less is no trouble: healthy actors would change places with each look, and one that
has crashed would be lost among them."""

Sort = Literal["trouble", "mailbox", "age", "turns", "crashes"]


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """Which actors are listed, and which of them come first."""

    kind: str | None = None
    phase: Phase | None = None
    key: str = ""
    """Only keys that contain it."""
    sort: Sort = "mailbox"
    limit: int = 50


class Survey(msgspec.Struct, frozen=True, kw_only=True):
    """All kinds, and the first actors of a selection, whose `total` is how many there are."""

    kinds: list[KindStatistics]
    total: int
    actors: list[ActorStatistics]


class Waiting(NamedTuple):
    """What waits in the mailboxes of a kind."""

    depth: int
    oldest_seconds: float
    """How long the oldest message has waited; 0 where none waits."""


class _Row(NamedTuple):
    """An actor in a heap of the highest. Of two that rank the same the earlier one comes first."""

    rank: Any
    order: int
    statistics: Callable[[], ActorStatistics | None]
    """None if the actor has left meanwhile."""


async def survey(supervisors: Iterable["Supervisor"], selection: Selection | None) -> Survey:
    """Look at the actors of *supervisors*; other tasks run in between, so it is of no single moment.

    Without a *selection*, none is listed.
    """
    chosen = _Chosen(selection or Selection())
    kinds = []
    for supervisor in supervisors:
        listed = selection is not None and selection.kind in {None, supervisor.name}
        depth, oldest = 0, 0.0
        for activations in _slices(supervisor):
            waiting = waiting_in(activations)
            depth += waiting.depth
            oldest = max(oldest, waiting.oldest_seconds)
            if listed:
                chosen.consider(supervisor, activations)
            await trio.lowlevel.checkpoint()
        kinds.append(supervisor.statistics(Waiting(depth, oldest)))
        if listed:
            chosen.consider_quarantined(supervisor)
    return Survey(kinds=kinds, total=chosen.total, actors=chosen.actors())


def waiting_in(activations: Iterable["Activation"]) -> Waiting:
    """What waits in the mailboxes of *activations*."""
    now = trio.current_time()
    depth, oldest_at = 0, now
    for one in activations:
        if one.mailbox:
            depth += len(one.mailbox)
            oldest_at = min(oldest_at, one.mailbox.oldest_posted_at() or now)
    return Waiting(depth, now - oldest_at)


def _slices(supervisor: "Supervisor") -> Iterable[list["Activation"]]:
    """The live actors; those that leave while others are looked at are left out."""
    live = supervisor.live
    rest = iter(list(live.values()))
    while activations := list(islice(rest, SLICE)):
        yield [one for one in activations if live.get(one.key) is one]


class _Chosen:
    """The highest of those that match a selection."""

    def __init__(self, selection: Selection) -> None:
        self._selection = selection
        self._rank = _RANKS[selection.sort]
        self._heap: list[_Row] = []
        self._orders = count(0, -1)
        self.total = 0

    def consider(self, supervisor: "Supervisor", activations: Iterable["Activation"]) -> None:
        phase, key, rank_of = self._selection.phase, self._selection.key, self._rank
        heap, limit = self._heap, self._selection.limit
        now = trio.current_time()
        for one in activations:
            if (phase is None or one.incarnation.phase == phase) and key in one.key:
                self.total += 1
                rank = rank_of(one, now)
                if len(heap) < limit or rank > heap[0].rank:
                    self._add(rank, partial(_statistics_of, supervisor, one))

    def consider_quarantined(self, supervisor: "Supervisor") -> None:
        if self._selection.phase not in {None, "quarantined"}:
            return
        for one in supervisor.quarantined():
            if self._selection.key in one.key:
                self.total += 1
                self._add(_QUARANTINED_RANKS[self._selection.sort](one), partial(_same, one))

    def _add(self, rank: Any, statistics: Callable[[], ActorStatistics | None]) -> None:
        row = _Row(rank, next(self._orders), statistics)
        if len(self._heap) < self._selection.limit:
            heappush(self._heap, row)
        elif row > self._heap[0]:
            heapreplace(self._heap, row)

    def actors(self) -> list[ActorStatistics]:
        """Their statistics, the highest first."""
        rows = (row.statistics() for row in sorted(self._heap, reverse=True))
        return [one for one in rows if one is not None]


def _statistics_of(supervisor: "Supervisor", one: "Activation") -> ActorStatistics | None:
    return one.statistics() if supervisor.live.get(one.key) is one else None


def _same(one: ActorStatistics) -> ActorStatistics:
    return one


def _mailbox(one: "Activation", _now: float) -> int:
    return len(one.mailbox)


def _age(one: "Activation", now: float) -> float:
    """Of what runs, beside turns too, or of what has waited the longest; 0 for neither."""
    began_at = one.mailbox.oldest_posted_at() or now
    life = one.incarnation
    if life.turn is not None:
        began_at = min(began_at, life.turn_started_at)
    task = life.oldest_task() if life.tasks else None
    if task is not None:
        began_at = min(began_at, task.began_at)
    return now - began_at


def _turns(one: "Activation", _now: float) -> int:
    return one.turns


def _crashes(one: "Activation", _now: float) -> int:
    return one.crashes


def _trouble(one: "Activation", now: float) -> tuple[bool, float, int, int, float]:
    """Whether it is down, how long something has taken long, crashes, and how much waits or runs beside."""
    life = one.incarnation
    down = life.phase in {"backing_off", "stopping"}
    age = _age(one, now)
    long = age if age >= TROUBLE_SECONDS_MIN else 0.0
    return down, long, one.crashes, len(one.mailbox) + len(life.tasks), age


_RANKS: Final[dict[Sort, Callable[["Activation", float], Any]]] = {
    "trouble": _trouble,
    "mailbox": _mailbox,
    "age": _age,
    "turns": _turns,
    "crashes": _crashes,
}

_QUARANTINED_RANKS: Final[dict[Sort, Callable[[ActorStatistics], Any]]] = {
    "trouble": lambda one: (True, 0.0, one.crashes, 0, 0.0),
    "mailbox": lambda _one: 0,
    "age": lambda _one: 0.0,
    "turns": lambda _one: 0,
    "crashes": lambda one: one.crashes,
}
