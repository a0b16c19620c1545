"""`audit.list`: the audit trail of actions and refusals."""

from datetime import datetime
from typing import Annotated, Final

from msgspec import UNSET, UnsetType

from svc.domain.identity.callers import Call, CallerKind, DoorName
from svc.domain.limits import LIST_ROWS
from svc.domain.locale.times import Timestamp, moment_ms
from svc.storage import audit
from svc.storage.audit import AuditEntry, AuditFilter, Outcome
from svc.storage.store import View
from svc.tools.projections import Projection
from svc.tools.tool import Cursor, Limit, NextCursor, ToolInput, ToolOutput, about, reads
from svc.tools.totals import ListTotal, WantsTotal, total_of

_Person = Annotated[
    str,
    about(
        description="The id of the person who did it, or whose key did.",
        examples=["usr_01K5D3V7Q2M8Z4X6C9B1N0T5RA"],
    ),
]
_Caller = Annotated[
    str,
    about(
        description="The id of who called: a person's, a key's, …; `operator` for the command line.",
        examples=["key_01K5D3V7Q2M8Z4X6C9B1N0T5RA", "operator"],
    ),
]
_Action = Annotated[
    str,
    about(description="The tool, or what was done where no tool does it.", examples=["record.create"]),
]
_Target = Annotated[
    str, about(description="The id of what it was done to.", examples=["rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])
]


class AuditEntryAnswer(ToolOutput, frozen=True, kw_only=True):
    """One line of the trail."""

    id: str
    at: Timestamp
    caller_kind: CallerKind
    caller_id: _Caller
    person_id: _Person | None
    door: Annotated[DoorName, about(description="The way in by which it was called.")]
    action: _Action
    target: _Target | None
    outcome: Outcome
    reason: Annotated[str | None, about(description="Why it was refused: the problem's code.")]
    request_id: Annotated[str | None, about(description="The `X-Request-Id` of the call.")]
    asked_by: Annotated[
        dict[str, str] | None,
        about(description="What asked for it, where a person approved it: as `askedBy` of the approval."),
    ]


answer_of: Final = Projection(AuditEntry, AuditEntryAnswer)

EXAMPLE: Final = AuditEntryAnswer(
    id="aud_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    at="2026-09-18T09:30:00.000Z",
    caller_kind="key",
    caller_id="key_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    person_id="usr_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    door="api",
    action="record.create",
    target="rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    outcome="done",
    reason=None,
    request_id="3f1c9a62d0b84e7c",
    asked_by=None,
)


class ListAudit(ToolInput, frozen=True, kw_only=True):
    """Which entries to list: all that is given must hold."""

    person_id: _Person | None = None
    caller_id: _Caller | None = None
    action: _Action | None = None
    target: _Target | None = None
    outcome: Outcome | None = None
    since: Annotated[datetime, about(tz=True, description="From this time on: RFC 3339.")] | None = None
    until: Annotated[datetime, about(tz=True, description="Before this time: RFC 3339.")] | None = None
    limit: Annotated[int, Limit] = LIST_ROWS
    cursor: Annotated[str | None, Cursor] = None
    total: WantsTotal = False
    actions: Annotated[
        bool, about(description="Answer `actions` too: all that the trail has ever had, whatever is listed.")
    ] = False


class AuditList(ToolOutput, frozen=True, kw_only=True):
    """Entries, the newest first."""

    entries: tuple[AuditEntryAnswer, ...]
    next_cursor: Annotated[str | None, NextCursor]
    total: ListTotal | UnsetType = UNSET
    actions: (
        Annotated[
            tuple[str, ...],
            about(
                description="The actions of all time, by name.", examples=[["apikey.mint", "record.create"]]
            ),
        ]
        | UnsetType
    ) = UNSET


def _ms(at: datetime | None) -> int | None:
    return None if at is None else moment_ms(at)


_filter_of: Final = Projection(
    ListAudit, AuditFilter, since=lambda asked: _ms(asked.since), until=lambda asked: _ms(asked.until)
)


def _actions(view: View, call: Call) -> tuple[str, ...]:
    return tuple(audit.list_actions(view.conn, call.caller.organization_id))


@reads(
    "audit.list",
    needs="security",
    example=ListAudit(action="record.create", since=datetime.fromisoformat("2026-09-18T00:00:00Z")),
    answer=AuditList(entries=(EXAMPLE,), next_cursor=None),
)
def list_some(view: View, call: Call, request: ListAudit) -> AuditList:
    """List who did what, and what was refused to whom for lack of rights, the newest first.

    Every write is in it, through whichever door; what is only read is not. Pages stay stable while more is
    written. `actions` is what a list can be narrowed to.
    """
    page = audit.list_page(view, call.caller.organization_id, _filter_of(request))
    return AuditList(
        entries=tuple(map(answer_of, page.entries)),
        next_cursor=page.next_cursor,
        total=total_of(page.total),
        actions=_actions(view, call) if request.actions else UNSET,
    )
