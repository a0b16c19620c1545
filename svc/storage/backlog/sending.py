"""What waits to go out: deliveries of webhooks, replies of channels, mails."""

from typing import Any, Final

import sqlalchemy as sa

from svc.storage.backlog.queues import Backlog, Group, Oldest, age, backlog, times
from svc.storage.channels import tables as channels_tables
from svc.storage.mail import tables as mail_tables
from svc.storage.statements import Statement
from svc.storage.webhooks import tables as webhooks_tables

_webhooks, _deliveries = webhooks_tables.webhooks, webhooks_tables.webhook_deliveries
_attempts: Final = webhooks_tables.webhook_attempts
_connections, _replies, _pushes = (
    channels_tables.connections,
    channels_tables.replies,
    channels_tables.deliveries,
)
_mails: Final = mail_tables.mails

# By subscription and connection first, which the indexes have, so that no row is read for being counted.
_by_webhook: Final = (
    sa.select(
        _deliveries.c.webhook_id,
        sa.func.count().label("number"),
        sa.func.min(_deliveries.c.id).label("oldest"),
    )
    .where(webhooks_tables.IS_WAITING)
    .group_by(_deliveries.c.webhook_id)
    .subquery()
)
_BY_WEBHOOK = Statement(
    sa.select(
        _webhooks.c.organization_id,
        _webhooks.c.id.label("worker"),
        _by_webhook.c.number,
        _by_webhook.c.oldest,
    ).join(_by_webhook, _by_webhook.c.webhook_id == _webhooks.c.id),
    Group,
)
_by_connection: Final = (
    sa.select(
        _replies.c.connection_id, sa.func.count().label("number"), sa.func.min(_replies.c.id).label("oldest")
    )
    .where(channels_tables.IS_OPEN)
    .group_by(_replies.c.connection_id)
    .subquery()
)
_BY_CONNECTION = Statement(
    sa.select(
        _connections.c.organization_id,
        _connections.c.id.label("worker"),
        _by_connection.c.number,
        _by_connection.c.oldest,
    ).join(_by_connection, _by_connection.c.connection_id == _connections.c.id),
    Group,
)
_MAILS = Statement(
    sa.select(
        _mails.c.organization_id,
        _mails.c.organization_id.label("worker"),
        sa.func.count().label("number"),
        sa.func.min(_mails.c.id).label("oldest"),
    )
    .where(mail_tables.IS_WAITING)
    .group_by(_mails.c.organization_id),
    Group,
)

_DELIVERY: Statement[Any] = Statement(
    sa.select(
        _deliveries.c.created_at,
        _deliveries.c.is_first,
        _deliveries.c.next_attempt_at,
        _deliveries.c.attempts,
        _deliveries.c.failures,
        _webhooks.c.active,
        _webhooks.c.held_until,
        _webhooks.c.removed_at,
        _webhooks.c.ending,
    )
    .join(_webhooks, _webhooks.c.id == _deliveries.c.webhook_id)
    .where(_deliveries.c.id == sa.bindparam("id"))
)
_LAST_STATUS: Statement[Any] = Statement(
    sa.select(_attempts.c.status_code)
    .where(_attempts.c.delivery_id == sa.bindparam("id"))
    .order_by(_attempts.c.number.desc())
    .limit(1)
)
_REPLY: Statement[Any] = Statement(
    sa.select(
        _replies.c.state,
        _replies.c.created_at,
        _replies.c.expires_at,
        _replies.c.offer_at,
        _replies.c.push_failures,
        _replies.c.lapses,
        _replies.c.lease_id,
        _replies.c.lease_expires_at,
        _connections.c.delivery,
        _connections.c.status,
        _pushes.c.status_code,
    )
    .join(_connections, _connections.c.id == _replies.c.connection_id)
    .outerjoin(_pushes, _pushes.c.reply_id == _replies.c.id)
    .where(_replies.c.id == sa.bindparam("id"))
)
_MAIL: Statement[Any] = Statement(
    sa.select(_mails.c.created_at, _mails.c.failures, _mails.c.next_attempt_at).where(
        _mails.c.id == sa.bindparam("id")
    )
)


def deliveries(conn: sa.Connection, now: int) -> Backlog:
    """Deliveries of webhooks."""
    return backlog(conn, now, "deliveries", _BY_WEBHOOK.all(conn), _delivery)


def _delivery(conn: sa.Connection, group: Group, now: int) -> Oldest | None:
    row = _DELIVERY.one(conn, id=group.oldest)
    if row is None:
        return None
    if row.ending or row.removed_at is not None:
        why = "its subscription was removed or changed: it is being ended"
    elif not row.active:
        why = "its subscription is disabled"
    elif row.held_until is not None and row.held_until > now:
        why = f"the receiver asked to be left alone for {age(row.held_until - now)} more"
    elif not row.is_first:
        why = "an earlier one about the same waits"
    elif row.failures:
        last = _LAST_STATUS.one(conn, id=group.oldest)
        why = _failed("attempt", row.failures, last and last.status_code, row.next_attempt_at, now)
    else:
        why = _due(row.next_attempt_at, now)
    return Oldest(str(group.oldest), row.created_at, why)


def replies(conn: sa.Connection, now: int) -> Backlog:
    """Replies that their bridges have not taken, or not reported."""
    return backlog(conn, now, "replies", _BY_CONNECTION.all(conn), _reply)


def _reply(conn: sa.Connection, group: Group, now: int) -> Oldest | None:
    row = _REPLY.one(conn, id=group.oldest)
    if row is None:
        return None
    if row.lease_expires_at is not None:
        taken = "its bridge has pulled it and not reported" if row.lease_id else "a push of it is under way"
        why = f"{taken}; it is put back in {age(row.lease_expires_at - now)}"
    elif row.status == "paused":
        why = "its connection is paused"
    elif row.delivery == "pull":
        lapsed = f"; it was pulled {times(row.lapses)} without a report" if row.lapses else ""
        why = f"its bridge has not pulled it{lapsed}"
    elif row.push_failures:
        why = _failed("push", row.push_failures, row.status_code, row.offer_at, now)
    else:
        why = _due(row.offer_at, now)
    return Oldest(str(group.oldest), row.created_at, why)


def mails(conn: sa.Connection, now: int) -> Backlog:
    """Mails that the mail server has not taken."""
    return backlog(conn, now, "mails", _MAILS.all(conn), _mail)


def _mail(conn: sa.Connection, group: Group, now: int) -> Oldest | None:
    row = _MAIL.one(conn, id=group.oldest)
    if row is None:
        return None
    if row.failures:
        why = f"the mail server refused it {times(row.failures)} for now; {_next(row.next_attempt_at, now)}"
    else:
        why = _due(row.next_attempt_at, now)
    return Oldest(str(group.oldest), row.created_at, why)


def _failed(what: str, failures: int, status: int | None, next_at: int | None, now: int) -> str:
    last = "no answer" if status is None else f"status {status}"
    plural = {"attempt": "attempts", "push": "pushes"}[what]
    failed = f"{failures} {what if failures == 1 else plural} failed, the last with {last}"
    return f"{failed}; {_next(next_at, now)}"


def _next(next_at: int | None, now: int) -> str:
    return "the next is due" if next_at is None or next_at <= now else f"the next is in {age(next_at - now)}"


def _due(next_at: int | None, now: int) -> str:
    if next_at is not None and next_at > now:
        return f"it is due in {age(next_at - now)}"
    return "it is due: an attempt is under way, or waits for a place"
