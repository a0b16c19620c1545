"""Connections: accounts at messengers, and the health that their bridges report."""

from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.domain.changes import OutboxChanged
from svc.domain.channels.connections import (
    CONTRACT,
    Account,
    Connection,
    Delivery,
    Health,
    Messenger,
    PauseReason,
    check_url,
)
from svc.domain.channels.events import ConnectionStateChanged, EventHealth
from svc.domain.channels.limits import CONNECTIONS_MAX
from svc.domain.channels.messages import HealthReport
from svc.domain.crypto.signatures import new_secret
from svc.domain.errors import Conflict, Fault, InvalidInput, NotFound, at, named_at
from svc.domain.events import Source, channel_source
from svc.domain.identity.people import clean_name
from svc.domain.input.near_names import shown
from svc.domain.limits import LIST_ROWS
from svc.domain.locale.times import HOUR_MS
from svc.domain.mail.letters import MailData
from svc.storage.channels import deliveries, open_replies, tables
from svc.storage.channels import keys as channel_keys
from svc.storage.events import events
from svc.storage.identity import members, teams
from svc.storage.mail import notices
from svc.storage.mail.notices import Notice
from svc.storage.pages import Keyset
from svc.storage.rows import Rows, Selection
from svc.storage.store import Tx


class NewConnection(msgspec.Struct, frozen=True, kw_only=True):
    """A connection to be made."""

    name: str
    account: Account
    messenger: Messenger
    delivery: Delivery
    url: str | None = None


_column: Final = tables.connections.c
CONNECTIONS: Final = Rows(
    tables.connections,
    Connection,
    members={
        "account": Selection(Account, members={"kind": _column.account_kind, "id": _column.account_id}),
        "health": Selection(
            Health,
            members={
                "state": _column.health_state,
                "reason": _column.health_reason,
                "detail": _column.health_detail,
                "at": _column.health_at,
            },
            optional=True,
        ),
    },
    beside=["secret"],
)
_GET = CONNECTIONS.prepared(CONNECTIONS.select(_column.id == sa.bindparam("connection_id")))


def create(tx: Tx, organization_id: str, new: NewConnection) -> tuple[Connection, str | None]:
    """Make a connection; also its signing secret, which is shown this once, where replies are pushed.

    Raises:
        InvalidInput: the name, the account, or the address, which is there for pushes and only for them.
        NotFound: no such team or active member.
        Conflict: there are `CONNECTIONS_MAX`.
    """
    if new.delivery == "push" and new.url is None:
        raise InvalidInput([Fault("/url", "missing", "is required: replies are pushed to it")])
    if new.delivery == "pull" and new.url is not None:
        detail = "is for `push` alone: leave it out where the bridge pulls"
        raise InvalidInput([Fault("/url", "invalid_value", detail)])
    _check_account(tx.conn, organization_id, new.account)
    there = tx.conn.execute(sa.select(sa.func.count()).where(*_live(organization_id)))
    if there.scalar_one() >= CONNECTIONS_MAX:
        raise Conflict(f"an organization has at most {CONNECTIONS_MAX} connections")
    connection_id = tx.new_id("con")
    secret = new_secret(tx.random) if new.delivery == "push" else None
    connection = Connection(
        id=connection_id,
        organization_id=organization_id,
        name=_clean_name(new.name),
        account=new.account,
        messenger=new.messenger,
        delivery=new.delivery,
        url=None if new.url is None else _checked_url(new.url),
        contract=CONTRACT,
        status="active",
        created_at=tx.now,
        updated_at=tx.now,
    )
    sealed = None if secret is None else tx.sealer.seal(secret, connection_id)
    CONNECTIONS.insert(tx.conn, connection, secret=sealed)
    return connection, secret


def get(conn: sa.Connection, organization_id: str, connection_id: str) -> Connection:
    """The connection. Raises `NotFound`, also for one that was removed."""
    found = _GET.one(conn, connection_id=connection_id)
    if found is None or found.organization_id != organization_id or found.status == "removed":
        raise NotFound(f"there is no connection {shown(connection_id)}")
    return found


def find(conn: sa.Connection, connection_id: str) -> Connection:
    """The connection of any organization, also a removed one. Raises `NotFound`."""
    found = _GET.one(conn, connection_id=connection_id)
    if found is None:
        raise NotFound(f"there is no connection {shown(connection_id)}")
    return found


def list_page(
    conn: sa.Connection,
    organization_id: str,
    *,
    member_id: str | None = None,
    cursor: str | None = None,
    limit: int = LIST_ROWS,
) -> tuple[list[Connection], str | None]:
    """The organization's connections, or those of a member's own accounts, and the cursor that goes on.

    The oldest come first.
    """
    keyset = Keyset(["connections", organization_id, member_id], cursor, limit)
    own = [] if member_id is None else [_column.account_kind == "member", _column.account_id == member_id]
    connections = CONNECTIONS.select(*_live(organization_id), *own)
    rows, next_cursor = keyset.fetch(conn, connections, _column.id, newest_first=False)
    return list(map(CONNECTIONS.make, rows)), next_cursor


def out_of_order(
    conn: sa.Connection, organization_id: str, *, member_id: str | None, limit: int
) -> tuple[int, int | None]:
    """How many connections hand out no replies although nobody paused them, and since when the first.

    Those of a member's own accounts, where one is named; counted up to *limit*.
    """
    own = [] if member_id is None else [_column.account_kind == "member", _column.account_id == member_id]
    is_offline = (_column.status == "active") & (_column.health_state == "offline")
    is_gone = (_column.status == "paused") & (_column.pause_reason == "gone")
    since = sa.case((is_gone, _column.updated_at), else_=_column.health_at)
    found = (
        sa.select(since.label("since"))
        .where(_column.organization_id == organization_id, is_offline | is_gone, *own)
        .limit(limit)
        .subquery()
    )
    row = conn.execute(sa.select(sa.func.count(), sa.func.min(found.c.since)).select_from(found)).one()
    return row[0], row[1]


def update(
    tx: Tx, organization_id: str, connection_id: str, *, name: str | None = None, url: str | None = None
) -> Connection:
    """Change what is given; how replies reach the bridge stays. Raises `NotFound` and `InvalidInput`."""
    before = get(tx.conn, organization_id, connection_id)
    values: dict[str, Any] = {}
    if name is not None:
        values["name"] = _clean_name(name)
    if url is not None:
        if before.delivery != "push":
            detail = "is for `push` alone: the bridge of this connection pulls"
            raise InvalidInput([Fault("/url", "invalid_value", detail)])
        values["url"] = _checked_url(url)
    update_columns(tx, connection_id, **values)
    return get(tx.conn, organization_id, connection_id)


def pause(
    tx: Tx, organization_id: str, connection_id: str, reason: PauseReason = "person", *, source: Source
) -> Connection:
    """Stop handing out replies; those that wait go on waiting. Idempotent. Raises `NotFound`."""
    before = get(tx.conn, organization_id, connection_id)
    if before.status != "active":
        return before
    open_replies.settle_all(tx, connection_id)
    update_columns(tx, connection_id, status="paused", pause_reason=reason)
    return _tell_state(tx, connection_id, source)


def resume(tx: Tx, organization_id: str, connection_id: str, *, source: Source) -> Connection:
    """Hand out replies again; the time that they may wait starts anew. Raises `NotFound`."""
    before = get(tx.conn, organization_id, connection_id)
    if before.status != "paused":
        return before
    open_replies.settle_all(tx, connection_id)
    open_replies.resume_all(tx, connection_id)
    update_columns(tx, connection_id, status="active", pause_reason=None)
    return _tell_state(tx, connection_id, source)


def remove(tx: Tx, organization_id: str, connection_id: str, *, source: Source) -> None:
    """Remove the connection for good: its keys are revoked, and open replies fail. Raises `NotFound`."""
    get(tx.conn, organization_id, connection_id)
    open_replies.settle_all(tx, connection_id)
    open_replies.fail_all(tx, connection_id, "removed", source=source)
    channel_keys.revoke_all(tx, connection_id)
    update_columns(tx, connection_id, status="removed", pause_reason=None, secret=None, previous_secret=None)
    _tell_state(tx, connection_id, source)


def stop_all(tx: Tx, organization_id: str, *, source: Source) -> None:
    """Stop the organization's bridges: open replies fail, and no test is pushed."""
    for connection_id in tx.conn.scalars(sa.select(_column.id).where(*_live(organization_id))).all():
        open_replies.settle_all(tx, connection_id)
        open_replies.fail_all(tx, connection_id, "removed", source=source)
        deliveries.end_tests(tx, connection_id)
        tx.announce(OutboxChanged(connection_id))


def note_health(tx: Tx, organization_id: str, connection_id: str, report: HealthReport) -> None:
    """Store the health that the bridge reports; offline, it is handed no replies. Raises `NotFound`."""
    before = get(tx.conn, organization_id, connection_id)
    update_columns(tx, connection_id, health=Health(report.state, report.reason, report.detail, tx.now))
    if before.health is None or (before.health.state, before.health.reason) != (report.state, report.reason):
        _tell_state(tx, connection_id, channel_source(connection_id))
        if report.state == "offline":
            data = MailData(id=connection_id, name=before.name, reason=report.reason or "", at=tx.now)
            # One that comes and goes is told once an hour.
            notice = Notice(f"{connection_id}/{tx.now // HOUR_MS}", data)
            notices.tell(tx, organization_id, "connection.offline", lambda: [notice])


def _clean_name(name: str) -> str:
    with at("/name"):
        return clean_name(name)


def _checked_url(url: str) -> str:
    with at("/url"):
        return check_url(url)


def _check_account(conn: sa.Connection, organization_id: str, account: Account) -> None:
    if (account.id is None) != (account.kind == "organization"):
        detail = "an account is the organization's, or has the `id` of its team or member"
        raise InvalidInput([Fault("/account", "invalid_value", detail)])
    with named_at("/account/id"):
        if account.kind == "team":
            teams.get(conn, organization_id, account.id or "")
        elif account.kind == "member":
            member = members.get(conn, organization_id, account.id or "")
            if member.status != "active":
                raise NotFound(f"the member {shown(member.id)} is not active")


def _live(organization_id: str) -> tuple[sa.ColumnElement[bool], ...]:
    """What selects the organization's connections that are not removed."""
    return _column.organization_id == organization_id, _column.status != "removed"


def update_columns(tx: Tx, connection_id: str, **values: Any) -> None:
    """Update members or columns of the connection, and announce the change."""
    tx.conn.execute(CONNECTIONS.update(_column.id == connection_id, **values, updated_at=tx.now))
    tx.announce(OutboxChanged(connection_id))


def _tell_state(tx: Tx, connection_id: str, source: Source) -> Connection:
    """Record the event of the connection's state, and return the connection as it is now."""
    connection = find(tx.conn, connection_id)
    health = connection.health
    event = ConnectionStateChanged(
        connection_id=connection.id,
        status=connection.status,
        pause_reason=connection.pause_reason,
        health=None if health is None else EventHealth(state=health.state, reason=health.reason),
        source=source,
    )
    events.record(tx, connection.organization_id, [event])
    return connection
