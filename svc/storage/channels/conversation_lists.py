"""Lists of conversations, those with the latest message first."""

import msgspec
import sqlalchemy as sa

from svc.domain.channels.messages import ConversationStatus
from svc.domain.cursors import Position
from svc.domain.errors import named_at
from svc.domain.limits import LIST_ROWS
from svc.domain.records.objects import CONTACT
from svc.storage.channels import connections, conversations, tables
from svc.storage.channels.rows import Conversation, ConversationRow, conversation_of
from svc.storage.identity import members, teams
from svc.storage.pages import Keyset, Total, total
from svc.storage.records import rows as record_rows


class ConversationFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which conversations to list: all that is given must hold."""

    connection_id: str | None = None
    contact_id: str | None = None
    member_id: str | None = None
    team_id: str | None = None
    status: ConversationStatus | None = None
    held: bool | None = None


def list_page(
    conn: sa.Connection,
    organization_id: str,
    filter_: ConversationFilter,
    *,
    cursor: str | None = None,
    limit: int = LIST_ROWS,
    with_total: bool = False,
) -> tuple[list[Conversation], str | None, Total | None]:
    """Conversations, those with the latest message first, the cursor that goes on, and how many there are."""
    question = ["conversations", organization_id, msgspec.to_builtins(filter_)]
    keyset = Keyset(question, cursor, limit, keys=1)
    column = tables.conversations.c
    equal = {
        name: value
        for name in ("connection_id", "contact_id", "member_id", "team_id", "status")
        if (value := getattr(filter_, name)) is not None
    }
    where = [column.organization_id == organization_id, *(column[name] == one for name, one in equal.items())]
    if filter_.held is not None:
        where.append(column.held_reason.is_not(None) if filter_.held else column.held_reason.is_(None))
    counted = total(conn, sa.select(column.id).where(*where)) if with_total else None
    if keyset.after is not None:
        before = sa.tuple_(sa.literal(int(keyset.after.keys[0])), sa.literal(keyset.after.id))
        where.append(sa.tuple_(column.last_message_at, column.id) < before)
    found = conn.execute(
        sa.select(*conversations.COLUMNS)
        .where(*where)
        .order_by(column.last_message_at.desc(), column.id.desc())
        .limit(limit + 1)
    )
    page, next_cursor = keyset.cut([ConversationRow._make(row) for row in found], _position)
    if not page:
        _check_named(conn, organization_id, filter_)
    return [conversation_of(row) for row in page], next_cursor, counted


def _position(row: ConversationRow) -> Position:
    return Position((str(row.last_message_at).encode(),), row.id)


def _check_named(conn: sa.Connection, organization_id: str, filter_: ConversationFilter) -> None:
    """Raises `InvalidInput` for an id that a list is filtered by and that does not exist."""
    if filter_.connection_id is not None:
        with named_at("/connectionId"):
            connections.get(conn, organization_id, filter_.connection_id)
    if filter_.contact_id is not None:
        with named_at("/contactId"):
            record_rows.get(conn, organization_id, CONTACT, filter_.contact_id)
    if filter_.member_id is not None:
        with named_at("/memberId"):
            members.get(conn, organization_id, filter_.member_id)
    if filter_.team_id is not None:
        with named_at("/teamId"):
            teams.get(conn, organization_id, filter_.team_id)
