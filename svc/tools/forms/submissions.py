"""`submission.*`: what came in by forms, and what became of it."""

from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from svc.domain.errors import Conflict, NotFound
from svc.domain.forms.limits import SUBMISSION_SEARCH_CHARS_MAX
from svc.domain.identity.callers import Call
from svc.domain.limits import LIST_ROWS
from svc.storage.forms import filing, submission_lists
from svc.storage.store import Tx, View
from svc.tools.forms.submission_answers import (
    EXAMPLE,
    EXAMPLE_LINE,
    FormId,
    State,
    SubmissionAnswer,
    SubmissionId,
    SubmissionLine,
    answer_of,
    line_of,
)
from svc.tools.tool import Cursor, Limit, NextCursor, ToolInput, ToolOutput, about, reads, writes
from svc.tools.totals import ListTotal, WantsTotal, total_of


class ListSubmissions(ToolInput, frozen=True, kw_only=True):
    """Which submissions to list: all that is given must hold."""

    form_id: FormId | None = None
    state: State | None = None
    search: (
        Annotated[
            str,
            about(
                description="A part of the e-mail address, phone number or name in it.",
                min_length=1,
                max_length=SUBMISSION_SEARCH_CHARS_MAX,
            ),
        ]
        | None
    ) = None
    discarded: Annotated[
        bool,
        about(description="Those alone that were thrown away, which are in no other list."),
    ] = False
    limit: Annotated[int, Limit] = LIST_ROWS
    cursor: Annotated[str | None, Cursor] = None
    total: WantsTotal = False


class SubmissionList(ToolOutput, frozen=True, kw_only=True):
    """A page of submissions."""

    submissions: Annotated[list[SubmissionLine], about(description="The newest first.")]
    next_cursor: Annotated[str | None, NextCursor]
    total: ListTotal | UnsetType = UNSET


@reads(
    "submission.list",
    needs="forms",
    raises=(NotFound,),
    example=ListSubmissions(form_id=EXAMPLE.form_id, state="Held"),
    answer=SubmissionList(submissions=[EXAMPLE_LINE], next_cursor=None),
)
def list_some(view: View, call: Call, request: ListSubmissions) -> SubmissionList:
    """List submissions, the newest first.

    Those of one form or of all, in one state or in any; a form that was removed keeps its submissions.
    """
    if request.state == "Filed" or request.search is not None:
        view.expect_long()  # many may have to be passed over, such as those that are held after much spam
    page = submission_lists.list_page(
        view.conn,
        call.caller.organization_id,
        form_id=request.form_id,
        label=request.state,
        search=request.search,
        discarded=request.discarded,
        cursor=request.cursor,
        limit=request.limit,
        total=request.total,
    )
    view.unindexed_submissions = page.unindexed
    return SubmissionList(
        submissions=[line_of(submission) for submission in page.submissions],
        next_cursor=page.next_cursor,
        total=total_of(page.total),
    )


class SubmissionById(ToolInput, frozen=True, kw_only=True):
    """Which submission."""

    id: SubmissionId


@reads(
    "submission.get",
    needs="forms",
    raises=(NotFound,),
    example=SubmissionById(id=EXAMPLE.id),
    answer=EXAMPLE,
)
def get(view: View, call: Call, request: SubmissionById) -> SubmissionAnswer:
    """Show a submission: what was sent, what became of it, and who it may be from."""
    submission = submission_lists.get(view.conn, call.caller.organization_id, request.id)
    return answer_of(view, call, submission)


class AttachSubmission(ToolInput, frozen=True, kw_only=True):
    """A held submission, and the contact that sent it."""

    id: SubmissionId
    contact_id: Annotated[
        str | None, about(description="One of its candidates; without one, a new contact is made.")
    ] = None


@writes(
    "submission.attach",
    needs="forms",
    raises=(NotFound, Conflict),
    example=AttachSubmission(id=EXAMPLE.id, contact_id=EXAMPLE.candidates[0].id),
    answer=msgspec.structs.replace(
        EXAMPLE,
        state="Filed",
        contact_id=EXAMPLE.candidates[0].id,
        filed_at="2026-09-18T10:02:00.000Z",
        filed_by="usr_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
        candidates=[],
    ),
)
def attach(tx: Tx, call: Call, request: AttachSubmission) -> SubmissionAnswer:
    """Say who sent a held submission, and file it there.

    It is filed as others are: with its note and deal, what is empty at the contact is filled, what differs is
    suggested. It is Filed then; why it was held stays beside it.
    """
    organization_id = call.caller.organization_id
    where = filing.target(tx.conn, organization_id)
    filing.attach(tx, where, request.id, request.contact_id, filed_by=call.caller.id)
    return answer_of(tx, call, submission_lists.get(tx.conn, organization_id, request.id))
