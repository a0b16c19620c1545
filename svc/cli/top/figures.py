"""Figures as they are shown in columns: short, so that they can be compared."""

from typing import Final

NONE: Final = "–"
"""For nothing, so that the eye finds what is."""


def duration(seconds: float) -> str:
    """`40 ms`, `0.4 s`, `12 s`, `3 min`, `5 h`."""
    if seconds < 0.1:  # noqa: PLR2004  # here and below, where the next unit begins
        return f"{seconds * 1000:.0f} ms"
    if seconds < 120:  # noqa: PLR2004
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"  # noqa: PLR2004
    return f"{seconds / 60:.0f} min" if seconds < 2 * 60 * 60 else f"{seconds / 3_600:.0f} h"


def age(seconds: float) -> str:
    """A duration; nothing where it is 0."""
    return duration(seconds) if seconds else NONE


def count(number: int) -> str:
    """A number; nothing where it is 0."""
    return f"{number:,}" if number else NONE


def rate(number: float, seconds: float) -> str:
    """How many in a second."""
    if not number:
        return NONE
    per_second = number / max(seconds, 1)
    return f"{per_second:,.0f}" if per_second >= 10 else f"{per_second:.1f}"  # noqa: PLR2004


def share(part: float, whole: float) -> str:
    """The part of the time, in percent."""
    if not part:
        return NONE
    percent = 100 * part / max(whole, 1)
    return "<1 %" if percent < 1 else f"{percent:.0f} %"


def printable(text: str) -> str:
    """*text* in one line of a terminal: keys of actors may hold anything."""
    return "".join(character if character.isprintable() else "·" for character in text)
