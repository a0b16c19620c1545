"""`submission.discard` and `submission.restore`: spam is thrown away, and can be taken back for a while."""

from collections.abc import Sequence
from typing import Annotated

from svc.domain.errors import Fault, InvalidInput
from svc.domain.forms.limits import DISCARDED_AT_ONCE_MAX
from svc.domain.identity.callers import Call
from svc.storage.forms import discarding
from svc.storage.forms.discarding import RefusalCode
from svc.storage.store import Tx
from svc.tools.forms.submission_answers import EXAMPLE, SubmissionId
from svc.tools.tool import ToolInput, ToolOutput, about, writes


class SubmissionIds(ToolInput, frozen=True, kw_only=True):
    """Which submissions: one or several."""

    id: SubmissionId | None = None
    ids: (
        Annotated[
            tuple[SubmissionId, ...],
            about(
                description="Instead of `id`: several at once.",
                min_length=1,
                max_length=DISCARDED_AT_ONCE_MAX,
            ),
        ]
        | None
    ) = None


class RefusedSubmission(ToolOutput, frozen=True, kw_only=True):
    """A submission that stayed as it is."""

    id: Annotated[str, about(description="As it was given.")]
    code: Annotated[
        RefusalCode,
        about(description="`conflict`: it is filed already. `not_found`: there is no such submission."),
    ]


_Refused = Annotated[tuple[RefusedSubmission, ...], about(description="The others, and why.")]


class DiscardedSubmissions(ToolOutput, frozen=True, kw_only=True):
    """What became of submissions that were to be thrown away."""

    discarded: Annotated[
        tuple[SubmissionId, ...], about(description="Those that are thrown away now, or were already.")
    ]
    refused: _Refused

    @property
    def targets(self) -> Sequence[str]:
        """The ids that the call is audited under."""
        return self.discarded


class RestoredSubmissions(ToolOutput, frozen=True, kw_only=True):
    """What became of submissions that were to be brought back."""

    restored: Annotated[
        tuple[SubmissionId, ...], about(description="Those that are where they were, or never left.")
    ]
    refused: _Refused

    @property
    def targets(self) -> Sequence[str]:
        """The ids that the call is audited under."""
        return self.restored


@writes(
    "submission.discard",
    needs="forms",
    example=SubmissionIds(ids=(EXAMPLE.id,)),
    answer=DiscardedSubmissions(discarded=(EXAMPLE.id,), refused=()),
)
def discard(tx: Tx, call: Call, request: SubmissionIds) -> DiscardedSubmissions:
    """Throw submissions away that are held or queued, such as spam.

    They are never filed, and in no list or count but `submission.list {discarded: true}`. After 30 days they
    are removed for good; until then `submission.restore` brings them back. A filed one is refused.
    """
    ids = _ids(request)
    outcome = discarding.discard(tx, call.caller.organization_id, ids, call.caller.id)
    return DiscardedSubmissions(discarded=tuple(outcome.done), refused=_refused(outcome.refused))


@writes(
    "submission.restore",
    needs="forms",
    example=SubmissionIds(ids=(EXAMPLE.id,)),
    answer=RestoredSubmissions(restored=(EXAMPLE.id,), refused=()),
)
def restore(tx: Tx, call: Call, request: SubmissionIds) -> RestoredSubmissions:
    """Bring submissions back that were thrown away: to be held, or at the end of their form's queue."""
    outcome = discarding.restore(tx, call.caller.organization_id, _ids(request))
    return RestoredSubmissions(restored=tuple(outcome.done), refused=_refused(outcome.refused))


def _ids(request: SubmissionIds) -> Sequence[str]:
    if request.ids is not None and request.id is None:
        return request.ids
    if request.id is not None and request.ids is None:
        return (request.id,)
    raise InvalidInput([Fault("", "invalid_value", "give either id or ids")])


def _refused(refused: Sequence[tuple[str, RefusalCode]]) -> tuple[RefusedSubmission, ...]:
    return tuple(RefusedSubmission(id=id_, code=code) for id_, code in refused)
