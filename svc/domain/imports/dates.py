"""The order of day, month and year in a file: told by its own dates, or not at all.

`3/4/2026` is a day in March or one in April. Which of them a file means is seen where a day is above 12. If
none is, nothing in it tells, and the import is refused until it is told.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from svc.domain.errors import Fault, InvalidInput
from svc.domain.imports.limits import IMPORT_EXAMPLE_CHARS_MAX
from svc.domain.input.near_names import shown
from svc.domain.records.cells.formats import DATE_ORDERS, DateOrder
from svc.domain.records.kinds.date import readings

_TOLD_MAX: Final = 2
"""Lines that a refusal tells."""


class DateCell(NamedTuple):
    """A cell of a column that is mapped to a date."""

    line: int
    text: str


def order_of(cells: Sequence[DateCell]) -> DateOrder | None:
    """The order in which the dates of *cells* are written; None where no cell depends on it.

    Raises `InvalidInput` at `/dates`, with two lines, where several orders read all of them and say other
    days, and where no order reads all of them.
    """
    left = set(DATE_ORDERS)
    differing: list[DateCell] = []
    decided: dict[frozenset[DateOrder], DateCell] = {}
    for cell in cells:
        days = readings(cell.text)
        if not days:
            continue
        if len({*days.values()}) > 1:
            differing.append(cell)
        if len(days) < len(DATE_ORDERS):
            decided.setdefault(frozenset(days), cell)
        left &= days.keys()
    if len(left) == 1:
        return left.pop()
    if not left:
        raise _unclear("the dates are written in several orders", _contrary(decided))
    unclear = [one for one in differing if len({readings(one.text)[order] for order in left}) > 1]
    if not unclear:
        return None
    raise _unclear("it is unclear whether the day or the month comes first", unclear[:_TOLD_MAX])


def _contrary(decided: dict[frozenset[DateOrder], DateCell]) -> list[DateCell]:
    """Two cells of which no order reads both; fewer where it takes more to see that."""
    pairs = [[decided[one], decided[other]] for one in decided for other in decided if one.isdisjoint(other)]
    return sorted(pairs[0]) if pairs else sorted(decided.values())[:_TOLD_MAX]


def _unclear(why: str, cells: Sequence[DateCell]) -> InvalidInput:
    lines = "; ".join(
        f"line {cell.line}, {shown(cell.text[:IMPORT_EXAMPLE_CHARS_MAX])}, is {_days(cell.text)}"
        for cell in cells
    )
    detail = f"{why}: {lines}. Give `dates`: `dmy`, `mdy` or `ymd`"
    return InvalidInput([Fault("/dates", "missing", detail)])


def _days(text: str) -> str:
    days = [day.isoformat() for day in dict.fromkeys(readings(text).values())]
    return " or ".join(days)
