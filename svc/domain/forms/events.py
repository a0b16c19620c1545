"""Events of submissions."""

from typing import Annotated, ClassVar, Final

from msgspec import Meta

from svc.domain.events import EXAMPLE_ULID, EventSource, EventType, NewEvent, Source, json_source
from svc.domain.records.answers import EXAMPLE, RecordId
from svc.domain.records.matching import HeldReason
from svc.domain.scalars import Scalar


class SubmissionEvent(NewEvent, frozen=True):
    """What became of a submission."""

    submission_id: str
    form_id: str

    @property
    def subject(self) -> str:
        return self.submission_id


class SubmissionFiled(SubmissionEvent, frozen=True):
    """A submission of a form was filed: its contact is there, and its deal.

    A submission, and what was made of it.
    """

    type: ClassVar[EventType] = "submission.filed"
    contact_id: RecordId
    deal_id: RecordId | None
    fields: Annotated[dict[str, Scalar], Meta(description="What was sent, by the names of the fields.")]


class SubmissionHeld(SubmissionEvent, frozen=True):
    """A submission of a form waits for a person.

    A submission that waits for a person.
    """

    type: ClassVar[EventType] = "submission.held"
    reason: HeldReason | None


def form_source(form_id: str, submission_id: str) -> Source:
    """The source of what a submission of a form writes."""
    return json_source(EventSource(kind="form", form_id=form_id, submission_id=submission_id))


_FORM, _SUBMISSION = f"frm_{EXAMPLE_ULID}", f"sub_{EXAMPLE_ULID}"
_SOURCE: Final = form_source(_FORM, _SUBMISSION)

EXAMPLES: Final[tuple[NewEvent, ...]] = (
    SubmissionFiled(
        submission_id=_SUBMISSION,
        form_id=_FORM,
        contact_id=EXAMPLE.id,
        deal_id="rec_01K5D3V7Q2M8Z4X6C9B1N0T5RD",
        fields={"email": "ada@example.com", "message": "Do you have it in brass?"},
        source=_SOURCE,
    ),
    SubmissionHeld(submission_id=_SUBMISSION, form_id=_FORM, reason="similar", source=_SOURCE),
)
