"""Suggestions: values that a form brought and a contact has otherwise, for a person to decide on."""

from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain import cursors
from svc.domain.errors import Conflict, InvalidInput, NotFound, named_at
from svc.domain.events import Source
from svc.domain.identity.organizations import Organization
from svc.domain.input.near_names import shown
from svc.domain.limits import LIST_ROWS
from svc.storage.pages import Keyset
from svc.storage.readable import each
from svc.storage.records import records, tables
from svc.storage.records import rows as record_rows
from svc.storage.records.bulk import SUGGESTIONS, Suggestion, SuggestionState
from svc.storage.records.rows import Record
from svc.storage.statements import Statement
from svc.storage.store import Tx


class OldestSuggestion(NamedTuple):
    """The open suggestion that waits for longest, and its record."""

    created_at: int
    record_id: str
    object_slug: str


_suggestion: Final = tables.suggestions.c
# Of a deleted record none can be accepted, so nobody waits for them.
_OPEN: Final = (
    sa.select(_suggestion.created_at, _suggestion.record_id, tables.objects.c.slug.label("object_slug"))
    .join(tables.records, tables.records.c.id == _suggestion.record_id)
    .join(tables.objects, tables.objects.c.id == tables.records.c.object_id)
    .where(
        _suggestion.organization_id == sa.bindparam("organization_id"),
        _suggestion.state == "open",
        tables.records.c.deleted_at.is_(None),
    )
    .order_by(_suggestion.id)
    .limit(sa.bindparam("most", type_=sa.Integer))
)
_OLDEST: Final = Statement(_OPEN, OldestSuggestion)
_COUNT: Final = Statement(sa.select(sa.func.count()).select_from(_OPEN.subquery()), int)


def count_open(conn: sa.Connection, organization_id: str, most: int) -> int:
    """How many suggestions for live records are open, counted up to *most*."""
    return _COUNT.one(conn, organization_id=organization_id, most=most) or 0


def oldest_open(conn: sa.Connection, organization_id: str) -> OldestSuggestion | None:
    """The open suggestion for a live record that waits for longest, if there is any."""
    return _OLDEST.one(conn, organization_id=organization_id, most=1)


def list_page(
    conn: sa.Connection,
    organization_id: str,
    *,
    record_id: str | None = None,
    state: SuggestionState = "open",
    cursor: str | None = None,
    limit: int = LIST_ROWS,
) -> tuple[list[Suggestion], str | None]:
    """Suggestions, the newest first, and the cursor that goes on. Raises `InvalidInput`."""
    cursors.check_limit(limit)
    question = ["suggestions", record_id, state]
    keyset = Keyset(question, cursor, limit)
    select = SUGGESTIONS.select(tables.suggestions.c.state == state)
    if record_id is None:
        select = select.where(tables.suggestions.c.organization_id == organization_id)
    else:
        # The record says the organization: a condition here would make SQLite scan all of the organization's.
        own = tables.records.c.organization_id == organization_id
        select = select.join(tables.records, tables.records.c.id == tables.suggestions.c.record_id)
        select = select.where(tables.suggestions.c.record_id == record_id, own)
    rows, next_cursor = keyset.fetch(conn, select, tables.suggestions.c.id, newest_first=True)
    if record_id is not None and not rows:
        with named_at("/recordId"):
            record_rows.get(conn, organization_id, None, record_id)
    return each(rows, SUGGESTIONS.make, "suggestions"), next_cursor


def accept(tx: Tx, organization: Organization, suggestion_id: str, *, source: Source) -> Record:
    """Write the suggested value to the record and close the suggestion.

    Raises `NotFound` for the suggestion, or if its record is deleted; and `Conflict` if it was decided
    already, or the value does not fit any more.
    """
    row = _open(tx.conn, organization.id, suggestion_id)
    values = {row.property: row.value}
    try:
        record = records.update(tx, organization, None, row.record_id, values, source=source)
    except InvalidInput as error:  # the value is a form's, and no input of this call
        reasons = "; ".join(fault.detail for fault in error.faults)
        raise Conflict(f"the record does not take this value any more: {reasons}") from None
    _decide(tx, suggestion_id, "accepted")
    return record


def dismiss(tx: Tx, organization_id: str, suggestion_id: str) -> Suggestion:
    """Close the suggestion; the record stays as it is. Raises `NotFound` and `Conflict`."""
    row = _open(tx.conn, organization_id, suggestion_id)
    _decide(tx, suggestion_id, "dismissed")
    return msgspec.structs.replace(row, state="dismissed", decided_at=tx.now)


def _open(conn: sa.Connection, organization_id: str, suggestion_id: str) -> Suggestion:
    row = SUGGESTIONS.one(
        conn,
        SUGGESTIONS.select(
            tables.suggestions.c.id == suggestion_id, tables.suggestions.c.organization_id == organization_id
        ),
    )
    if row is None:
        raise NotFound(f"there is no suggestion {shown(suggestion_id)}")
    if row.state != "open":
        raise Conflict(f"it was {row.state} already")
    return row


def _decide(tx: Tx, suggestion_id: str, state: SuggestionState) -> None:
    tx.conn.execute(
        SUGGESTIONS.update(tables.suggestions.c.id == suggestion_id, state=state, decided_at=tx.now)
    )
