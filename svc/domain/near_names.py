"""The known names closest to an unknown one, for errors that suggest what was meant."""

from collections.abc import Collection, Iterable
from difflib import get_close_matches
from typing import Final

from svc.domain.limits import NEAR_NAMES_LISTED_MAX, NEAR_NAMES_MAX, SHOWN_NAME_CHARS_MAX

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


def hint(name: str, known: Collection[str]) -> str:
    """What follows "there is no *name*": the nearest of the *known* names, or all of them if they are few."""
    alike = nearest(name, known)
    if alike:
        return meant(alike)
    if 0 < len(known) <= NEAR_NAMES_LISTED_MAX:
        return f"; there {'is' if len(known) == 1 else 'are'} {listed(known)}"
    return ""


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
