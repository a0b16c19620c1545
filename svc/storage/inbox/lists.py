"""Lists of conversations, those that came up last first."""

from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.domain.channels.messages import ConversationStatus
from svc.domain.cursors import Position
from svc.domain.errors import named_at
from svc.domain.limits import LIST_ROWS
from svc.domain.records.objects import CONTACT
from svc.storage.channels import connections, tables
from svc.storage.channels.rows import CONVERSATIONS, Conversation
from svc.storage.identity import members, teams
from svc.storage.inbox import search
from svc.storage.pages import Keyset, Total, total
from svc.storage.records import rows as record_rows
from svc.storage.sql import json_values

_EQUAL: Final = ("connection_id", "contact_id", "member_id", "team_id", "status")
"""Members of a filter that a column is equal to."""


class ConversationFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which conversations to list: all that is given must hold."""

    connection_id: str | None = None
    contact_id: str | None = None
    member_id: str | None = None
    team_id: str | None = None
    of_person: str | None = None
    """The member who looks after it, as `member_id`; it is not checked to be one."""
    assigned: bool | None = None
    """Whether a member looks after it."""
    status: ConversationStatus | None = None
    held: bool | None = None
    snoozed: bool | None = None
    search: str | None = None


def list_page(
    conn: sa.Connection,
    organization_id: str,
    filter_: ConversationFilter,
    *,
    now: int,
    reads_contacts: bool = True,
    cursor: str | None = None,
    limit: int = LIST_ROWS,
    with_total: bool = False,
) -> tuple[list[Conversation], str | None, Total | None]:
    """Conversations, those that came up last first, the cursor that goes on, and how many there are.

    Without *reads_contacts*, a search does not look at contacts.
    """
    question = ["conversations", organization_id, msgspec.to_builtins(filter_)]
    keyset = Keyset(question, cursor, limit, keys=1)
    column = tables.conversations.c
    latest_first = latest(organization_id, filter_, now=now)
    if filter_.search is not None:
        found = search.conversation_ids(conn, organization_id, filter_.search, contacts=reads_contacts)
        latest_first = latest_first.where(json_values.is_item(column.id, json_values.array_of(found)))
    counted = total(conn, latest_first.with_only_columns(column.id).order_by(None)) if with_total else None
    if keyset.after is not None:
        before = sa.tuple_(sa.literal(int(keyset.after.keys[0])), sa.literal(keyset.after.id))
        latest_first = latest_first.where(sa.tuple_(column.active_at, column.id) < before)
    page, next_cursor = keyset.cut(CONVERSATIONS.all(conn, latest_first.limit(limit + 1)), _position)
    if not page:
        _check_named(conn, organization_id, filter_)
    return list(page), next_cursor, counted


def latest(organization_id: str, filter_: ConversationFilter, *, now: int) -> sa.Select[Any]:
    """Selects the conversations of a filter, but for its search, those that came up last first."""
    column = tables.conversations.c
    return CONVERSATIONS.select(*_conditions(organization_id, filter_, now)).order_by(
        column.active_at.desc(), column.id.desc()
    )


def _conditions(organization_id: str, filter_: ConversationFilter, now: int) -> list[sa.ColumnElement[bool]]:
    column = tables.conversations.c
    where = [column.organization_id == organization_id]
    for name in _EQUAL:
        value = getattr(filter_, name)
        if value is not None:
            where.append(column[name] == value)
    if filter_.of_person is not None:
        where.append(column.member_id == filter_.of_person)
    if filter_.snoozed is not None:
        is_snoozed = column.snoozed_until > now
        where.append(is_snoozed if filter_.snoozed else sa.or_(column.snoozed_until.is_(None), ~is_snoozed))
    stored: tuple[tuple[bool | None, sa.ColumnElement[Any]], ...] = (
        (filter_.assigned, column.member_id),
        (filter_.held, column.held_reason),
    )
    where += [one.is_not(None) if wanted else one.is_(None) for wanted, one in stored if wanted is not None]
    return where


def _position(conversation: Conversation) -> Position:
    return Position((str(conversation.active_at).encode(),), conversation.id)


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
