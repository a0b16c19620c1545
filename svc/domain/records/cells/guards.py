"""Formulas in CSV files: a text that a spreadsheet would run is written behind an apostrophe.

It is read without, and both directions agree for every text: what was exported is imported as it was.
"""

import re
from typing import Final

_GUARD: Final = "'"
_RUNNABLE: Final = re.compile("'*[=+\\-@\t\r\n＝＋－＠]")
_INERT: Final = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?")
"""A number: a spreadsheet makes a number of it at most."""


def guarded(text: str) -> str:
    """*text* as it is written into a cell."""
    if _RUNNABLE.match(text) and not _INERT.fullmatch(text):
        return _GUARD + text
    return text


def unguarded(cell: str) -> str:
    """The text that `guarded` wrote as *cell*."""
    return cell[1:] if cell.startswith(_GUARD) and _RUNNABLE.match(cell) else cell
