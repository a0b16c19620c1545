"""How it goes: what came on each day of the last week, beside the week before."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from svc.domain.home.limits import HOME_DAY_COUNT_MAX
from svc.domain.home.weeks import WEEK_DAYS, Weeks, weeks_to
from svc.domain.identity.callers import Call
from svc.domain.records.objects import CONTACT, DEAL
from svc.storage.forms import bounded_counts
from svc.storage.identity import organizations
from svc.storage.records import objects
from svc.storage.records.listing import creations
from svc.storage.store import View
from svc.tools.home.rights import may_read
from svc.tools.tool import ToolOutput, about

WeekKind = Literal["submissions", "contacts", "deals"]
_OBJECTS: Final[tuple[tuple[WeekKind, str], ...]] = (("contacts", CONTACT), ("deals", DEAL))


class WeekDay(ToolOutput, frozen=True, kw_only=True):
    """A day, and its number."""

    date: Annotated[str, about(description="In the time zone of the organization.", examples=["2026-09-18"])]
    count: Annotated[
        int, about(description="How many; of more, the limit is told.", ge=0, le=HOME_DAY_COUNT_MAX)
    ]


class WeekCounts(ToolOutput, frozen=True, kw_only=True):
    """The last week, of one kind."""

    kind: Annotated[WeekKind, about(description="Submissions that came, or records that were made.")]
    days: Annotated[
        tuple[WeekDay, ...],
        about(description="The earliest first, today last.", min_length=WEEK_DAYS, max_length=WEEK_DAYS),
    ]
    before: Annotated[int, about(description="How many in the week before.", ge=0)]


def week_counts(view: View, call: Call) -> tuple[WeekCounts, ...]:
    """The kinds whose list the caller may read."""
    organization_id = call.caller.organization_id
    weeks = weeks_to(view.now, organizations.get(view.conn, organization_id).time_zone)
    found = []
    if may_read(call, "submission.list"):
        by_day = bounded_counts.by_day(view.conn, organization_id, weeks.days, HOME_DAY_COUNT_MAX)
        found.append(_counts("submissions", weeks, by_day))
    if may_read(call, "record.list"):
        ids = objects.ids_by_slug(view.conn, organization_id)
        for kind, slug in _OBJECTS:
            by_day = creations.by_day(view.conn, ids[slug], weeks.days, HOME_DAY_COUNT_MAX)
            found.append(_counts(kind, weeks, by_day))
    return tuple(found)


def _counts(kind: WeekKind, weeks: Weeks, by_day: Sequence[int]) -> WeekCounts:
    days = zip(weeks.last, by_day[WEEK_DAYS:], strict=True)
    return WeekCounts(
        kind=kind,
        days=tuple(WeekDay(date=day.date, count=count) for day, count in days),
        before=sum(by_day[:WEEK_DAYS]),
    )


EXAMPLE: Final = WeekCounts(
    kind="submissions",
    days=tuple(WeekDay(date=f"2026-09-{12 + day}", count=2 * day) for day in range(WEEK_DAYS)),
    before=35,
)
