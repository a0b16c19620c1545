"""Conversations that wait for an answer: the last message is from the other side."""

from typing import Final, NamedTuple

import sqlalchemy as sa

from svc.storage.channels import tables
from svc.storage.statements import Statement


class Unanswered(NamedTuple):
    """How many wait, and since when the one does that waits longest, in ms since the epoch; None for none."""

    many: int
    since: int | None


_conversations: Final = tables.conversations.c
_messages: Final = tables.messages.c
_OPEN: Final = (
    sa.select(_conversations.id, _conversations.last_message_at)
    .where(
        _conversations.organization_id == sa.bindparam("organization_id"),
        _conversations.status == "open",
        _conversations.member_id.is_(None) | (_conversations.member_id == sa.bindparam("person_id")),
        _conversations.snoozed_until.is_(None) | (_conversations.snoozed_until <= sa.bindparam("now")),
    )
    .order_by(_conversations.active_at.desc(), _conversations.id.desc())
    .limit(sa.bindparam("examined", type_=sa.Integer))
    .subquery("latest")
)
_LAST: Final = (
    sa.select(_messages.direction)
    .where(_messages.conversation_id == _OPEN.c.id)
    .order_by(_messages.id.desc())
    .limit(1)
    .correlate(_OPEN)
    .scalar_subquery()
)
_COUNT: Final = Statement(
    sa.select(sa.func.count().label("many"), sa.func.min(_OPEN.c.last_message_at).label("since")).where(
        _LAST == "in"
    ),
    Unanswered,
)


def of_person(
    conn: sa.Connection, organization_id: str, person_id: str | None, *, now: int, examined: int
) -> Unanswered:
    """Those that the person or nobody looks after, among the *examined* open ones that came up last."""
    given = {"organization_id": organization_id, "person_id": person_id or "", "now": now}
    return _COUNT.all(conn, given | {"examined": examined})[0]
