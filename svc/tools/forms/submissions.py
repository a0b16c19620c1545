"""`submission.*`: what came in by forms, and what became of it."""

from operator import attrgetter
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from svc.domain.errors import Conflict, NotFound
from svc.domain.identity.callers import Call
from svc.domain.limits import CANDIDATES_MAX, LIST_ROWS, SUBMISSION_SEARCH_CHARS_MAX, VISITS_SHOWN_MAX
from svc.domain.records.matching import HeldReason
from svc.domain.scalars import Scalar
from svc.storage.forms import filing, submission_lists
from svc.storage.forms.submission_lists import SubmissionDetails, SubmissionSummary
from svc.storage.forms.submissions import Label
from svc.storage.records import contacts
from svc.storage.store import Tx, View
from svc.tools.projections import Projection
from svc.tools.tool import Cursor, Limit, NextCursor, Timestamp, ToolInput, ToolOutput, about, reads, writes
from svc.tools.totals import ListTotal, WantsTotal, total_of

SubmissionId = Annotated[
    str, about(description="The submission's id.", examples=["sub_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])
]
FormId = Annotated[str, about(description="The form's id.", examples=["frm_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]
State = Annotated[
    Label,
    about(
        description=(
            "`Queued`: stored, and filed as soon as the form's pace has room. `Filed`: with its contact."
            " `Held`: it waits for somebody to say who sent it."
        )
    ),
]


class SubmissionLine(ToolOutput, frozen=True, kw_only=True):
    """A submission as a list has it."""

    id: SubmissionId
    form_id: FormId
    state: State
    held_reason: Annotated[
        HeldReason | None,
        about(
            description=(
                "Why it is held, or was until somebody attached it. `several` contacts have the e-mail or the"
                " phone; e-mail and phone are of two contacts, a `conflict`; the phone's contact has another"
                " e-mail, so is `similar`; the honeypot was filled in, so it is `spam`; an `error`: it could"
                " not be filed; or `unreadable`: what is stored of it makes no sense, and `fields` may be"
                " empty."
            )
        ),
    ]
    received_at: Timestamp
    email: Annotated[str | None, about(description="The e-mail address in it, as addresses are compared.")]
    phone: Annotated[str | None, about(description="The phone number in it, in E.164.")]
    name: str | None
    dropped: Annotated[
        int,
        about(
            description="How many fields with passwords, codes, card details, identity numbers or other"
            " secrets were dropped, and card numbers cut out of texts (`[removed]`).",
            ge=0,
        ),
    ]
    contact_id: Annotated[str | None, about(description="The contact that it was filed to.")]
    deal_id: Annotated[str | None, about(description="The deal that it opened.")]
    filed_at: Timestamp | None
    filed_by: Annotated[
        str | None,
        about(description="Who attached it: a person's or a key's id, or `operator`; null if nobody had to."),
    ]


class Candidate(ToolOutput, frozen=True, kw_only=True):
    """A contact that a held submission may be from."""

    id: Annotated[str, about(description="The contact's id.")]
    name: Annotated[str | None, about(description="Told to who may read records, as what follows is.")]
    email: str | None
    phone: str | None


class PageViewAnswer(ToolOutput, frozen=True, kw_only=True):
    """A view of a page of a tracked site."""

    url: str
    title: str | None
    referrer: str | None
    at: Timestamp


class SubmissionAnswer(SubmissionLine, frozen=True, kw_only=True):
    """A submission with all that is known of it."""

    fields: Annotated[
        dict[str, Scalar], about(description="What was sent, by the names of the website's own fields.")
    ]
    candidates: Annotated[
        list[Candidate],
        about(description="While it is held: the contacts that it may be from.", max_length=CANDIDATES_MAX),
    ]
    visits: Annotated[
        list[PageViewAnswer],
        about(
            description="The sender's latest page views up to it, in their order.",
            max_length=VISITS_SHOWN_MAX,
        ),
    ]


line_of: Final = Projection(SubmissionSummary, SubmissionLine, state=attrgetter("label"))
_details: Final = Projection(
    SubmissionDetails, SubmissionAnswer, state=attrgetter("label"), given=("candidates",)
)


def _answer(view: View, call: Call, submission: SubmissionDetails) -> SubmissionAnswer:
    return _details(submission, candidates=_candidates(view, call, submission.candidates))


def _candidates(view: View, call: Call, ids: list[str]) -> list[Candidate]:
    known: dict[str, dict[str, Any]] = {}
    if "records.read" in call.caller.permissions:
        records = contacts.by_ids(view.conn, call.caller.organization_id, ids)
        known = {record.id: record.properties for record in records}
    return [
        Candidate(id=id_, **{slug: known.get(id_, {}).get(slug) for slug in ("name", "email", "phone")})
        for id_ in ids
    ]


EXAMPLE: Final = SubmissionAnswer(
    id="sub_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    form_id="frm_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    state="Held",
    held_reason="similar",
    received_at="2026-09-18T09:30:00.000Z",
    email="ines.duarte@example.com",
    phone="+447700900101",
    name="Ines Duarte",
    dropped=0,
    contact_id=None,
    deal_id=None,
    filed_at=None,
    filed_by=None,
    fields={
        "name": "Ines Duarte",
        "email": "ines.duarte@example.com",
        "phone": "07700 900101",
        "lamp": "Skerry wall light",
        "newsletter": True,
    },
    candidates=[
        Candidate(
            id="rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
            name="Ines Duarte",
            email="ines@bellevue.example",
            phone="+447700900101",
        )
    ],
    visits=[
        PageViewAnswer(
            url="https://harbourlamps.example/wall-lights",
            title="Wall lights",
            referrer="https://search.example/",
            at="2026-09-18T09:21:00.000Z",
        )
    ],
)
EXAMPLE_LINE: Final = SubmissionLine(
    **{name: getattr(EXAMPLE, name) for name in SubmissionLine.__struct_fields__}
)


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
    return _answer(view, call, submission)


class AttachSubmission(ToolInput, frozen=True, kw_only=True):
    """Who sent a held submission."""

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
    return _answer(tx, call, submission_lists.get(tx.conn, organization_id, request.id))
