"""Events of approvals."""

from typing import Annotated, ClassVar, Final

from msgspec import Meta

from svc.domain.approvals.cards import AskedBy, AskedByAgent
from svc.domain.events import EXAMPLE_ULID, EventType, NewEvent, caller_source
from svc.domain.locale.times import Timestamp


class ApprovalCreated(NewEvent, frozen=True):
    """An agent, or a workflow, asks a person for an approval.

    An approval that waits for a person. `approval.get` shows its input, if the caller may run its tool.
    """

    type: ClassVar[EventType] = "approval.created"
    approval_id: str
    tool: Annotated[str | None, Meta(description="What is asked for; null for a workflow's step.")]
    asked_by: AskedBy
    expires_at: Timestamp

    @property
    def subject(self) -> str:
        """The conversation or the run that it was asked for in."""
        asked_by = self.asked_by
        return asked_by.conversation_id if isinstance(asked_by, AskedByAgent) else asked_by.run_id

    @property
    def resource(self) -> tuple[str, str]:
        return "approval", self.approval_id


_CONNECTION: Final = f"con_{EXAMPLE_ULID}"

EXAMPLES: Final[tuple[NewEvent, ...]] = (
    ApprovalCreated(
        approval_id=f"apr_{EXAMPLE_ULID}",
        tool="record.delete",
        asked_by=AskedByAgent(
            connection_id=_CONNECTION, conversation_id=f"cnv_{EXAMPLE_ULID}", run_id=f"agr_{EXAMPLE_ULID}"
        ),
        expires_at="2026-09-25T09:30:00.000Z",
        source=caller_source("agent", _CONNECTION, f"usr_{EXAMPLE_ULID}"),
    ),
)
