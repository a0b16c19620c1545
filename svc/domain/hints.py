"""Hints: which things of an organization have changed, for the screens that show them.

A hint says what changed, never how: the screen asks again, with its person's own rights.
"""

from collections import OrderedDict
from typing import Final, NamedTuple

from svc.domain.limits import SCREEN_HINTS_MAX

_NOUNS: Final = {"automation": "workflow", "credits": "ai", "property": "object"}
"""Nouns that screens see as a part of another."""


class Hint(NamedTuple):
    """The last change of one thing."""

    number: int
    noun: str
    id: str | None
    """None: any of that noun may have changed."""


class HintLog:
    """The last changes of one organization's things, each once, at most `SCREEN_HINTS_MAX` of them.

    Numbers count up. A reader remembers the last number that it has seen, so a slow one holds up nothing and
    keeps nothing in memory; what it missed, once forgotten here, is told by `since` as None. A thing that
    changes a thousand times takes one place.
    """

    __slots__ = ("_last", "_missing_until", "newest")

    def __init__(self, first: int) -> None:
        """Numbers go on after *first*, which must be above those of any earlier log."""
        self.newest = first
        self._missing_until = first
        self._last: OrderedDict[tuple[str, str | None], int] = OrderedDict()

    def note(self, noun: str, id_: str | None) -> None:
        """A thing has changed."""
        self.newest += 1
        thing = (_NOUNS.get(noun, noun), id_)
        self._last[thing] = self.newest
        self._last.move_to_end(thing)
        if len(self._last) > SCREEN_HINTS_MAX:
            _, self._missing_until = self._last.popitem(last=False)

    def since(self, number: int) -> list[Hint] | None:
        """What has changed after *number*, in order; None if it is not known any more, or never was."""
        if not self._missing_until <= number <= self.newest:
            return None
        hints = []
        for (noun, id_), last in reversed(self._last.items()):
            if last <= number:
                break
            hints.append(Hint(last, noun, id_))
        hints.reverse()
        return hints
