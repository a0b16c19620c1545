"""Totals: how many rows a list has in all, where that is asked."""

from typing import Annotated, Final

from msgspec import UNSET, UnsetType

from svc.domain.limits import TOTAL_MAX
from svc.storage.pages import Total
from svc.tools.projections import Projection
from svc.tools.tool import ToolOutput, about

WantsTotal = Annotated[
    bool,
    about(description=f"Say how many there are in all: exact to {TOTAL_MAX:,}, then that there are more."),
]


class ListTotal(ToolOutput, frozen=True, kw_only=True):
    """How many a list has in all."""

    count: Annotated[int, about(description="At least so many.", ge=0, le=TOTAL_MAX)]
    exact: Annotated[bool, about(description="Whether there are no more.")]


_total: Final = Projection(Total, ListTotal)


def total_of(total: Total | None) -> ListTotal | UnsetType:
    """The member of an answer; absent where no total was asked for."""
    return UNSET if total is None else _total(total)
