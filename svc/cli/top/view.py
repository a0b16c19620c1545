"""What a service has told of itself: the last snapshot, with the changes since."""

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec

SORTS: Final = ("trouble", "mailbox", "age", "turns", "crashes")
"""The orders of actors, as `/debug/actors` has them."""

LIMIT: Final = 100
"""Actors listed."""

Json = dict[str, Any]
Connection = Literal["connecting", "live", "away", "full", "over"]


class Choice(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which actors are listed, and in which order: a subscription of `/debug/live`."""

    kind: str | None = None
    key: str = ""
    sort: str = "trouble"
    limit: int = LIMIT


class LiveView:
    """The kinds, the listed actors in their order, and what waits in the database."""

    def __init__(self) -> None:
        self.at = 0
        """When the service told the last, ms since the epoch by its clock."""
        self.draining = False
        self.total = 0
        """Actors that match the choice."""
        self.waiting_readable = True
        self._kinds: dict[str, Json] = {}
        self._nouns: dict[str, Json] = {}
        self._actors: dict[str, Json] = {}
        self._awaits_snapshot = True

    def choose(self) -> None:
        """Another choice was sent: what comes before its snapshot is of the one before."""
        self._awaits_snapshot = True

    def take(self, message: Mapping[str, Any]) -> bool:
        """Take what `/debug/live` has sent; returns whether it is of the choice."""
        if self._awaits_snapshot and message["type"] != "snapshot":
            return False
        if message["type"] == "snapshot":
            self._awaits_snapshot = False
            self._actors = {}
        self.at, self.draining, self.total = message["at"], message["draining"], message["total"]
        self._kinds.update((kind["kind"], kind) for kind in message["kinds"])
        changed = {f"{actor['kind']}/{actor['key']}": actor for actor in message["actors"]}
        known = self._actors | changed
        self._actors = {name: known[name] for name in message["order"] if name in known}
        self.waiting_readable = message["waiting"] is not None
        self._nouns.update((noun["noun"], noun) for noun in message["waiting"] or ())
        return True

    def kinds(self) -> list[Json]:
        """All kinds, in the service's order."""
        return list(self._kinds.values())

    def actors(self) -> dict[str, Json]:
        """The listed actors by `<kind>/<key>`, the first first."""
        return self._actors

    def queues(self) -> list[tuple[str, Json]]:
        """What waits, as pairs of a noun and a queue of it: of each noun the oldest first."""
        return [(noun["noun"], queue) for noun in self._nouns.values() for queue in noun["queues"]]

    def waiting(self) -> int:
        """How much waits in the database."""
        return sum(noun["count"] for noun in self._nouns.values())

    def last_minute(self, figure: str) -> float:
        """A sum over all kinds for the last minute, such as of `turns`."""
        return float(sum(kind["lastMinute"][figure] for kind in self._kinds.values()))

    def seconds(self) -> float:
        """How long that minute is; less only after a start."""
        return max((kind["lastMinute"]["seconds"] for kind in self._kinds.values()), default=1)
