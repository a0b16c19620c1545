"""Submissions as tools answer them: as a line of a list, and with all that is known of one."""

from operator import attrgetter
from typing import Annotated, Any, Final

from svc.domain.forms.excerpts import excerpt_of
from svc.domain.forms.limits import CANDIDATES_MAX, EXCERPT_CHARS_MAX
from svc.domain.identity.callers import Call
from svc.domain.locale.times import Timestamp
from svc.domain.records.matching import HeldReason
from svc.domain.scalars import Scalar
from svc.domain.sites.limits import VISITS_SHOWN_MAX
from svc.storage.forms.submission_lists import SubmissionDetails, SubmissionSummary
from svc.storage.forms.submissions import Label
from svc.storage.records import contacts
from svc.storage.store import View
from svc.tools.projections import Projection
from svc.tools.tool import ToolOutput, about

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
    excerpt: Annotated[
        str | None,
        about(
            description="The longest text that was sent, but for those above, on one line and cut to"
            f" {EXCERPT_CHARS_MAX} characters: what tells it from others. Null if there is none."
        ),
    ]
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
        about(
            description="Who attached it: a person's or a key's id, or `operator`; null if nothing was held."
        ),
    ]
    discarded_at: Annotated[
        Timestamp | None,
        about(description="When it was thrown away; its `state` is the one that it had. Null if it is not."),
    ]
    discarded_by: Annotated[
        str | None, about(description="Who threw it away: a person's or a key's id, or `operator`.")
    ]


_ContactText = Annotated[str | None, about(description="Null for callers that may not read records.")]


class Candidate(ToolOutput, frozen=True, kw_only=True):
    """A contact that a held submission may be from."""

    id: Annotated[str, about(description="The contact's id.")]
    name: _ContactText
    email: _ContactText
    phone: _ContactText


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
    note_id: Annotated[
        str | None, about(description="The note on its contact that has what was sent, once it is filed.")
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


def _excerpt(submission: SubmissionSummary) -> str | None:
    return excerpt_of(submission.fields, (submission.name, submission.email, submission.phone))


line_of: Final = Projection(SubmissionSummary, SubmissionLine, state=attrgetter("label"), excerpt=_excerpt)
_details: Final = Projection(
    SubmissionDetails, SubmissionAnswer, state=attrgetter("label"), excerpt=_excerpt, given=("candidates",)
)


def answer_of(view: View, call: Call, submission: SubmissionDetails) -> SubmissionAnswer:
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
    excerpt="Skerry wall light",
    dropped=0,
    contact_id=None,
    deal_id=None,
    filed_at=None,
    filed_by=None,
    discarded_at=None,
    discarded_by=None,
    fields={
        "name": "Ines Duarte",
        "email": "ines.duarte@example.com",
        "phone": "07700 900101",
        "lamp": "Skerry wall light",
        "newsletter": True,
    },
    note_id=None,
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
