"""What a kind did in the last minute: a ring of sums, so that growth is seen where totals only get larger."""

from typing import Final

import msgspec

SLOT_SECONDS: Final = 5
SLOTS: Final = 12
"""So the ring tells of 55 to 60 seconds."""


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """What a kind did within the last `seconds`, which are less than a minute only after the start."""

    seconds: float
    turns: int = 0
    crashes: int = 0
    refused: int = 0
    run_seconds: float = 0.0
    """How long its turns ran."""


class _Slot:
    """The sums of five seconds, numbered by Trio's time."""

    __slots__ = ("crashes", "number", "refused", "run_seconds", "turns")

    def __init__(self, number: int) -> None:
        self.number = number
        self.turns = 0
        self.crashes = 0
        self.refused = 0
        self.run_seconds = 0.0


class LastMinute:
    """The ring. What is over is overwritten when something is noted, so it needs no timer."""

    __slots__ = ("_began_at", "_newest", "_ring")

    def __init__(self, now: float) -> None:
        """*now*, here and below, is Trio's time."""
        self._began_at = now
        self._newest = _Slot(_number(now))
        self._ring = [self._newest] * SLOTS

    def note_turn(self, now: float, run_seconds: float) -> None:
        slot = self._slot(now)
        slot.turns += 1
        slot.run_seconds += run_seconds

    def note_crash(self, now: float) -> None:
        self._slot(now).crashes += 1

    def note_refusal(self, now: float) -> None:
        self._slot(now).refused += 1

    def _slot(self, now: float) -> _Slot:
        number = _number(now)
        if number != self._newest.number:
            self._newest = self._ring[number % SLOTS] = _Slot(number)
        return self._newest

    def window(self, now: float) -> Window:
        """The sums of the slots that are not over."""
        first = _number(now) - SLOTS + 1
        # The first slot stands in every place until the ring has been gone round once.
        slots = {id(slot): slot for slot in self._ring if slot.number >= first}.values()
        return Window(
            seconds=now - max(first * SLOT_SECONDS, self._began_at),
            turns=sum(slot.turns for slot in slots),
            crashes=sum(slot.crashes for slot in slots),
            refused=sum(slot.refused for slot in slots),
            run_seconds=sum(slot.run_seconds for slot in slots),
        )


def _number(now: float) -> int:
    return int(now // SLOT_SECONDS)
