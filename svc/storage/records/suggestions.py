"""Suggestions: values that a form brought and a contact has otherwise, for a person to decide on."""

from typing import Any, Literal

import msgspec
import sqlalchemy as sa

from svc.domain import cursors
from svc.domain.errors import Conflict, InvalidInput, NotFound, named_at
from svc.domain.events import Source
from svc.domain.identity.organizations import Organization
from svc.domain.limits import LIST_ROWS
from svc.domain.near_names import shown
from svc.storage.pages import Keyset
from svc.storage.readable import each
from svc.storage.records import records, tables
from svc.storage.records import rows as record_rows
from svc.storage.records.rows import Record
from svc.storage.store import Tx

State = Literal["open", "accepted", "dismissed"]


class Suggestion(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A suggested value, open or decided."""

    id: str
    record_id: str
    property: str
    value: Any
    submission_id: str | None
    state: State
    created_at: int
    decided_at: int | None


_COLUMNS = tuple(tables.suggestions.c[name] for name in Suggestion.__struct_fields__)


def list_page(
    conn: sa.Connection,
    organization_id: str,
    *,
    record_id: str | None = None,
    state: State = "open",
    cursor: str | None = None,
    limit: int = LIST_ROWS,
) -> tuple[list[Suggestion], str | None]:
    """Suggestions, the newest first, and the cursor that goes on. Raises `InvalidInput`."""
    cursors.check_limit(limit)
    question = ["suggestions", record_id, state]
    keyset = Keyset(question, cursor, limit)
    select = sa.select(*_COLUMNS).where(tables.suggestions.c.state == state)
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
    return each(rows, _from_row, "suggestions"), next_cursor


def accept(tx: Tx, organization: Organization, suggestion_id: str, *, source: Source) -> Record:
    """Write the suggested value to the record and close the suggestion.

    Raises `NotFound` for the suggestion, or if its record is deleted; and `Conflict` if it was decided
    already, or the value does not fit any more.
    """
    row = _open(tx.conn, organization.id, suggestion_id)
    values = {row.property: msgspec.json.decode(row.value)}
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
    return msgspec.structs.replace(_from_row(row), state="dismissed", decided_at=tx.now)


def _open(conn: sa.Connection, organization_id: str, suggestion_id: str) -> sa.Row[Any]:
    row = conn.execute(
        sa.select(*_COLUMNS).where(
            tables.suggestions.c.id == suggestion_id, tables.suggestions.c.organization_id == organization_id
        )
    ).one_or_none()
    if row is None:
        raise NotFound(f"there is no suggestion {shown(suggestion_id)}")
    if row.state != "open":
        raise Conflict(f"it was {row.state} already")
    return row


def _decide(tx: Tx, suggestion_id: str, state: State) -> None:
    tx.conn.execute(
        sa.update(tables.suggestions)
        .where(tables.suggestions.c.id == suggestion_id)
        .values(state=state, decided_at=tx.now)
    )


def _from_row(row: sa.Row[Any]) -> Suggestion:
    return Suggestion(**dict(row._mapping) | {"value": msgspec.json.decode(row.value)})
