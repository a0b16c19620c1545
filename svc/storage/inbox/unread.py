"""How many conversations have messages that a member has not read: their own, and nobody's."""

from typing import Final

import sqlalchemy as sa

from svc.domain.inbox.limits import UNREAD_CONVERSATIONS_EXAMINED_MAX, UNREAD_EXAMINED_MAX
from svc.storage.channels import tables as channels_tables
from svc.storage.inbox import tables
from svc.storage.statements import Statement

_conversations: Final = channels_tables.conversations.c
_messages: Final = channels_tables.messages.c
_reads: Final = tables.conversation_reads.c


def _latest(whose: sa.ColumnElement[bool], name: str) -> sa.Subquery:
    """The open conversations that came up last, along the index of one member's or nobody's."""
    return (
        sa.select(_conversations.id)
        .where(
            _conversations.organization_id == sa.bindparam("organization_id"),
            _conversations.status == "open",
            whose,
            _conversations.snoozed_until.is_(None) | (_conversations.snoozed_until <= sa.bindparam("now")),
        )
        .order_by(_conversations.active_at.desc(), _conversations.id.desc())
        .limit(UNREAD_CONVERSATIONS_EXAMINED_MAX)
        .subquery(name)
    )


# Two walks, since one for `member_id` of either kind would pass all that other members look after.
_MINE: Final = _latest(_conversations.member_id == sa.bindparam("person_id"), "mine")
_FREE: Final = _latest(_conversations.member_id.is_(None), "free")
_latest_ones: Final = sa.union_all(sa.select(_MINE.c.id), sa.select(_FREE.c.id)).subquery("latest")
_read_to: Final = (
    sa.select(_reads.read_to)
    .where(_reads.conversation_id == _latest_ones.c.id, _reads.person_id == sa.bindparam("person_id"))
    .correlate(_latest_ones)
    .scalar_subquery()
)
# The messages that a list counts as unread: see `summaries`.
_since: Final = (
    sa.select(_messages.direction)
    .where(_messages.conversation_id == _latest_ones.c.id, _messages.id > sa.func.coalesce(_read_to, ""))
    .order_by(_messages.id.desc())
    .limit(UNREAD_EXAMINED_MAX)
    .correlate(_latest_ones)
    .subquery("since")
)
_UNREAD: Final = Statement(
    sa.select(sa.func.count().label("many"))
    .select_from(_latest_ones)
    .where(
        sa.exists(sa.select(sa.literal(1)).select_from(_since).where(_since.c.direction == "in")).correlate(
            _latest_ones
        )
    ),
    int,
)


def count(conn: sa.Connection, organization_id: str, person_id: str, now: int) -> int:
    """Open conversations with unread messages that the person or nobody looks after, but for snoozed ones.

    Of the person's and of nobody's, the `UNREAD_CONVERSATIONS_EXAMINED_MAX` that came up last are examined.
    """
    given = {"organization_id": organization_id, "person_id": person_id, "now": now}
    return _UNREAD.one(conn, given) or 0
