"""`suggestion.*`: values from forms that differ from the contact's, for a person to accept or dismiss."""

from typing import Annotated, Any, Final

import msgspec

from svc.domain.errors import Conflict, NotFound
from svc.domain.identity.callers import Call
from svc.domain.limits import LIST_ROWS
from svc.domain.locale.times import Timestamp
from svc.domain.records.answers import EXAMPLE, RecordAnswer, RecordId
from svc.storage.identity import organizations
from svc.storage.records import suggestions
from svc.storage.records.bulk import Suggestion, SuggestionState
from svc.storage.store import Tx, View
from svc.tools.projections import Projection
from svc.tools.records.answers import answer_of
from svc.tools.tool import Cursor, Limit, NextCursor, ToolInput, ToolOutput, about, reads, writes

SuggestionId = Annotated[
    str, about(description="The suggestion's id.", examples=["sug_01K5D3V7Q2M8Z4X6C9B1N0T5RE"])
]


class SuggestionAnswer(ToolOutput, frozen=True, kw_only=True):
    """A suggested value."""

    id: SuggestionId
    record_id: RecordId
    property: Annotated[str, about(description="The slug of the property that it is for.")]
    value: Annotated[Any, about(description="What was suggested.")]
    state: Annotated[SuggestionState, about(description="`open` until somebody decides.")]
    submission_id: Annotated[str | None, about(description="The form submission that brought it.")]
    created_at: Timestamp
    decided_at: Annotated[Timestamp | None, about(description="Null while it is open.")]


class SuggestionList(ToolOutput, frozen=True, kw_only=True):
    """Suggestions, the newest first."""

    suggestions: Annotated[tuple[SuggestionAnswer, ...], about(description="The newest first.")]
    next_cursor: Annotated[str | None, NextCursor]


_answer: Final = Projection(Suggestion, SuggestionAnswer)

_EXAMPLE: Final = SuggestionAnswer(
    id="sug_01K5D3V7Q2M8Z4X6C9B1N0T5RE",
    record_id=EXAMPLE.id,
    property="city",
    value="Turin",
    state="open",
    submission_id="sub_01K5D3V7Q2M8Z4X6C9B1N0T5RF",
    created_at="2026-09-18T09:30:00.000Z",
    decided_at=None,
)


class ListSuggestions(ToolInput, frozen=True, kw_only=True):
    """Which suggestions to list."""

    record_id: Annotated[str | None, about(description="Those for this record alone.")] = None
    state: Annotated[SuggestionState, about(description="Those in this state.")] = "open"
    limit: Annotated[int, Limit] = LIST_ROWS
    cursor: Annotated[str, Cursor] | None = None


@reads(
    "suggestion.list",
    needs="records.read",
    example=ListSuggestions(),
    answer=SuggestionList(suggestions=(_EXAMPLE,), next_cursor=None),
)
def list_(view: View, call: Call, request: ListSuggestions) -> SuggestionList:
    """List suggested values, the newest first.

    A form never overwrites what a contact has: another value that it brings waits here.
    """
    rows, next_cursor = suggestions.list_page(
        view.conn,
        call.caller.organization_id,
        record_id=request.record_id,
        state=request.state,
        cursor=request.cursor,
        limit=request.limit,
    )
    return SuggestionList(suggestions=tuple(map(_answer, rows)), next_cursor=next_cursor)


class AcceptSuggestion(ToolInput, frozen=True, kw_only=True):
    """Which suggestion to accept."""

    id: SuggestionId


@writes(
    "suggestion.accept",
    needs="records.write",
    raises=(NotFound, Conflict),
    example=AcceptSuggestion(id=_EXAMPLE.id),
    answer=EXAMPLE,
)
def accept(tx: Tx, call: Call, request: AcceptSuggestion) -> RecordAnswer:
    """Write a suggested value to its record, and close the suggestion.

    Answers the record as it is now.
    """
    organization = organizations.get(tx.conn, call.caller.organization_id)
    return answer_of(suggestions.accept(tx, organization, request.id, source=call.source()))


class DismissSuggestion(ToolInput, frozen=True, kw_only=True):
    """Which suggestion to dismiss."""

    id: SuggestionId


@writes(
    "suggestion.dismiss",
    needs="records.write",
    raises=(NotFound, Conflict),
    example=DismissSuggestion(id=_EXAMPLE.id),
    answer=msgspec.structs.replace(_EXAMPLE, state="dismissed", decided_at="2026-09-18T10:00:00.000Z"),
)
def dismiss(tx: Tx, call: Call, request: DismissSuggestion) -> SuggestionAnswer:
    """Close a suggestion, and leave its record as it is."""
    return _answer(suggestions.dismiss(tx, call.caller.organization_id, request.id))
