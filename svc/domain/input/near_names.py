"""The known names closest to an unknown one, for errors that suggest what was meant."""

from collections.abc import Collection, Iterable
from difflib import get_close_matches
from typing import Final

from svc.domain.limits import CHOICES_TOLD_MAX, NEAR_NAMES_LISTED_MAX, NEAR_NAMES_MAX, SHOWN_NAME_CHARS_MAX

_LIKENESS: Final = 0.6
"""The least similarity of close names, 0 to 1 (`difflib`)."""
_START_CHARS_MIN: Final = 2
"""The shortest common prefix that counts."""
_SEPARATORS: Final = str.maketrans("", "", "._- ")


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """The *known* names closest to *name*, best first, at most `NEAR_NAMES_MAX`.

    Case and the separators `.`, `_`, `-` and space do not count: `object_type` is `objectType`. A prefix is
    close, too: `eq` to `equals`.
    """
    by_folded = {_folded(candidate): candidate for candidate in known}
    folded = _folded(name[:SHOWN_NAME_CHARS_MAX])
    begun = [candidate for candidate in by_folded if _begins(candidate, folded) or _begins(folded, candidate)]
    alike = get_close_matches(folded, list(by_folded), n=NEAR_NAMES_MAX, cutoff=_LIKENESS)
    return [by_folded[folded_name] for folded_name in dict.fromkeys([*begun, *alike])][:NEAR_NAMES_MAX]


def hint(choice: str, choices: Collection[str]) -> str:
    """What follows a *choice* that is none of the *choices*: the nearest, and `CHOICES_TOLD_MAX` of all."""
    if not choices:
        return ""
    told = near_first(choice, choices)
    there = f"there {'is' if len(choices) == 1 else 'are'} {listed(told[:CHOICES_TOLD_MAX])}{rest_of(told)}"
    guess = meant(nearest(choice, choices))
    if guess and len(choices) == 1:
        return guess
    return f"{guess} {there[0].upper()}{there[1:]}" if guess else f"; {there}"


def near_first(choice: str, choices: Iterable[str]) -> list[str]:
    """The *choices*, those first that are nearest to *choice*; a set by name."""
    known = sorted(choices) if isinstance(choices, set | frozenset) else list(choices)
    return list(dict.fromkeys([*nearest(choice, known), *known]))


def rest_of(choices: Collection[str]) -> str:
    """What follows the choices that were told: how many more there are, if any."""
    more = len(choices) - CHOICES_TOLD_MAX
    return f" and {more:,} more" if more > 0 else ""


def guess(name: str, known: Collection[str]) -> str:
    """What follows "there is no *name*", of a member or a command: the nearest, or all if they are few."""
    return meant(nearest(name, known)) or (hint(name, known) if len(known) <= NEAR_NAMES_LISTED_MAX else "")


def meant(names: list[str]) -> str:
    """What follows "there is no such name" where *names* were probably meant; nothing if there are none."""
    return f"; did you mean {_either(names)}?" if names else ""


def listed(names: Iterable[str]) -> str:
    """*names* as code, with commas between them."""
    return ", ".join(f"`{name}`" for name in names)


def shown(name: str) -> str:
    """*name*, which is untrusted, as code: cut to a line, without unprintable characters."""
    cut = name if len(name) <= SHOWN_NAME_CHARS_MAX else f"{name[:SHOWN_NAME_CHARS_MAX]}…"
    return "`" + "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in cut) + "`"


def _either(names: list[str]) -> str:
    *others, last = [f"`{name}`" for name in names]
    return f"{', '.join(others)} or {last}" if others else last


def _begins(name: str, start: str) -> bool:
    return len(start) >= _START_CHARS_MIN and name.startswith(start)


def _folded(name: str) -> str:
    return name.translate(_SEPARATORS).casefold()
