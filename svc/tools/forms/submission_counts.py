"""`submission.counts`: how many submissions came, by day and by form, and how many wait."""

from typing import Annotated, Final

from svc.domain.forms.limits import SUBMISSION_COUNT_DAYS_MAX
from svc.domain.identity.callers import Call
from svc.domain.locale.local_days import last_days
from svc.storage.forms import submission_counts
from svc.storage.forms.submission_counts import FormCounts
from svc.storage.identity import organizations
from svc.storage.store import View
from svc.tools.forms.submission_answers import EXAMPLE as SUBMISSION
from svc.tools.forms.submission_answers import FormId
from svc.tools.projections import Projection
from svc.tools.tool import ToolInput, ToolOutput, about, reads

_QUICK_DAYS_MAX = 7


class CountSubmissions(ToolInput, frozen=True, kw_only=True):
    """Of which form, and over how many days."""

    form_id: FormId | None = None
    days: Annotated[
        int,
        about(
            description="The last days up to today, in the time zone of the organization.",
            ge=1,
            le=SUBMISSION_COUNT_DAYS_MAX,
        ),
    ] = 1


class DayCount(ToolOutput, frozen=True, kw_only=True):
    """One day."""

    date: Annotated[str, about(description="In the time zone of the organization.", examples=["2026-09-18"])]
    submissions: Annotated[int, about(description="How many came on it, whatever became of them.", ge=0)]


class FormCount(ToolOutput, frozen=True, kw_only=True):
    """One form."""

    form_id: FormId
    submissions: Annotated[int, about(description="How many came on all of the days.", ge=0)]
    today: Annotated[int, about(description="How many came today.", ge=0)]
    held: Annotated[int, about(description="How many are held now, whenever they came.", ge=0)]
    queued: Annotated[int, about(description="How many wait to be filed.", ge=0)]


class SubmissionCounts(ToolOutput, frozen=True, kw_only=True):
    """Counts of submissions."""

    days: Annotated[
        tuple[DayCount, ...],
        about(description="The earliest first, today last.", max_length=SUBMISSION_COUNT_DAYS_MAX),
    ]
    forms: Annotated[tuple[FormCount, ...], about(description="Removed forms too, which keep theirs.")]
    held: Annotated[int, about(description="How many are held now, of all of these forms.", ge=0)]
    queued: Annotated[int, about(description="How many wait to be filed, of all of these forms.", ge=0)]


_form_count: Final = Projection(
    FormCounts, FormCount, submissions=lambda form: sum(form.by_day), today=lambda form: form.by_day[-1]
)


@reads(
    "submission.counts",
    needs="forms",
    example=CountSubmissions(days=2),
    answer=SubmissionCounts(
        days=(DayCount(date="2026-09-17", submissions=3), DayCount(date="2026-09-18", submissions=5)),
        forms=(FormCount(form_id=SUBMISSION.form_id, submissions=8, today=5, held=1, queued=0),),
        held=1,
        queued=0,
    ),
)
def counts(view: View, call: Call, request: CountSubmissions) -> SubmissionCounts:
    """Count submissions by day and by form, and those that are held or queued now.

    Of all forms or of one; without `days`, today alone.
    """
    if request.days > _QUICK_DAYS_MAX:
        view.expect_long()
    organization_id = call.caller.organization_id
    zone = organizations.get(view.conn, organization_id).time_zone
    days = last_days(view.now, zone, request.days)
    found = submission_counts.count(view.conn, organization_id, days, form_id=request.form_id)
    return SubmissionCounts(
        days=tuple(
            DayCount(date=day.date, submissions=sum(one.by_day[place] for one in found))
            for place, day in enumerate(days)
        ),
        forms=tuple(map(_form_count, found)),
        held=sum(one.held for one in found),
        queued=sum(one.queued for one in found),
    )
