"""`home.get`: what the first screen shows."""

from typing import Annotated

from svc.domain.home.limits import HOME_RECENT_MAX
from svc.domain.identity.callers import Call
from svc.storage.store import View
from svc.tools.home import first_steps as steps
from svc.tools.home import recent as acts
from svc.tools.home import waiting as things
from svc.tools.home import weeks
from svc.tools.home.first_steps import FirstStep
from svc.tools.home.recent import RecentAct
from svc.tools.home.waiting import WaitingThings
from svc.tools.home.weeks import WeekCounts
from svc.tools.tool import ToolInput, ToolOutput, about, reads


class GetHome(ToolInput, frozen=True, kw_only=True):
    """Nothing more is asked: it is the caller's."""


class HomeAnswer(ToolOutput, frozen=True, kw_only=True):
    """What waits, how it goes, and what was just done."""

    waiting: Annotated[
        tuple[WaitingThings, ...],
        about(
            description="The most pressing kind first. Empty where nothing waits that the caller may read."
        ),
    ]
    weeks: Annotated[
        tuple[WeekCounts, ...],
        about(description="The days of a week, of the kinds that the caller may read."),
    ]
    recent: Annotated[
        tuple[RecentAct, ...],
        about(
            description="What was just done, the newest first: of all nouns to those who may read the audit"
            " trail, else of those whose lists the caller may read.",
            max_length=HOME_RECENT_MAX,
        ),
    ]
    first_steps: Annotated[
        tuple[FirstStep, ...] | None,
        about(description="Of a new organization, those that the caller can take; null once all are done."),
    ]


@reads(
    "home.get",
    example=GetHome(),
    answer=HomeAnswer(
        waiting=(things.EXAMPLE,), weeks=(weeks.EXAMPLE,), recent=(acts.EXAMPLE,), first_steps=steps.EXAMPLE
    ),
)
def get(view: View, call: Call, request: GetHome) -> HomeAnswer:  # noqa: ARG001  # every tool's
    """Show what waits, how the last week went beside the one before, and the latest acts.

    Each part has what the caller may read by the tool that lists it, so two callers may see different ones.
    Counts stop at a bound, and a number that equals it stands for that many or more.
    """
    return HomeAnswer(
        waiting=things.waiting(view, call),
        weeks=weeks.week_counts(view, call),
        recent=acts.recent(view, call),
        first_steps=steps.first_steps(view, call),
    )
