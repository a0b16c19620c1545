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
from svc.domain.channels.messages import HealthReport
from svc.domain.crypto.signatures import new_secret
from svc.domain.errors import Conflict, Fault, InvalidInput, NotFound, at, named_at
from svc.domain.events import NewEvent, Source, channel_source
from svc.domain.identity.people import clean_name
from svc.domain.limits import CONNECTIONS_MAX, LIST_ROWS
from svc.domain.mail.letters import MailData
from svc.domain.near_names import shown
from svc.domain.times import HOUR_MS
from svc.storage.channels import deliveries, open_replies, tables
from svc.storage.channels import keys as channel_keys
from svc.storage.channels.rows import ConnectionRow
from svc.storage.events import events
from svc.storage.identity import members, teams
from svc.storage.mail import notices
from svc.storage.mail.notices import Notice
from svc.storage.pages import Keyset
from svc.storage.statements import Statement
from svc.storage.store import Tx


class NewConnection(msgspec.Struct, frozen=True, kw_only=True):
    """A connection to be made."""

    name: str
    account: Account
    messenger: Messenger
    delivery: Delivery
    url: str | None = None


_COLUMNS: Final = tuple(tables.connections.c[name] for name in ConnectionRow._fields)
_GET = Statement(
    sa.select(*_COLUMNS).where(tables.connections.c.id == sa.bindparam("connection_id")), ConnectionRow
)


def create(tx: Tx, organization_id: str, new: NewConnection) -> tuple[Connection, str | None]:
    """Make a connection; also its signing secret, which is shown this once, where replies are pushed.

    Raises:
        InvalidInput: the name, the account, or the address, which is there for pushes and only for them.
        NotFound: no such team or active member.
        Conflict: there are `CONNECTIONS_MAX`.
    """
    if (new.url is not None) != (new.delivery == "push"):
        raise InvalidInput(
            [Fault("/url", "invalid_value", "it is where replies are pushed to: for `push` alone")]
        )
    _check_account(tx.conn, organization_id, new.account)
    mine = (tables.connections.c.organization_id == organization_id) & (
        tables.connections.c.status != "removed"
    )
    if tx.conn.execute(sa.select(sa.func.count()).where(mine)).scalar_one() >= CONNECTIONS_MAX:
        raise Conflict(f"an organization has at most {CONNECTIONS_MAX} connections")
    connection_id = tx.new_id("con")
    secret = new_secret(tx.random) if new.delivery == "push" else None
    tx.conn.execute(
        sa.insert(tables.connections).values(
            id=connection_id,
            organization_id=organization_id,
            name=_clean_name(new.name),
            account_kind=new.account.kind,
            account_id=new.account.id,
            messenger=new.messenger,
            delivery=new.delivery,
            url=None if new.url is None else _checked_url(new.url),
            contract=CONTRACT,
            status="active",
            secret=None if secret is None else tx.sealer.seal(secret, connection_id),
            created_at=tx.now,
            updated_at=tx.now,
        )
    )
    return get(tx.conn, organization_id, connection_id), secret


def get(conn: sa.Connection, organization_id: str, connection_id: str) -> Connection:
    """The connection. Raises `NotFound`, also for one that was removed."""
    row = _GET.one(conn, connection_id=connection_id)
    if row is None or row.organization_id != organization_id or row.status == "removed":
        raise NotFound(f"there is no connection {shown(connection_id)}")
    return from_row(row)


def find(conn: sa.Connection, connection_id: str) -> Connection:
    """The connection of any organization, also a removed one. Raises `NotFound`."""
    return from_row(row_of(conn, connection_id))


def row_of(conn: sa.Connection, connection_id: str) -> ConnectionRow:
    """The row of a connection, as `find`."""
    row = _GET.one(conn, connection_id=connection_id)
    if row is None:
        raise NotFound(f"there is no connection {shown(connection_id)}")
    return row


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
    own = (
        []
        if member_id is None
        else [tables.connections.c.account_kind == "member", tables.connections.c.account_id == member_id]
    )
    connections = sa.select(*_COLUMNS).where(
        tables.connections.c.organization_id == organization_id,
        tables.connections.c.status != "removed",
        *own,
    )
    rows, next_cursor = keyset.fetch(conn, connections, tables.connections.c.id, newest_first=False)
    return [from_row(ConnectionRow._make(row)) for row in rows], next_cursor


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
            detail = "this connection's bridge pulls, so that there is no address"
            raise InvalidInput([Fault("/url", "invalid_value", detail)])
        values["url"] = _checked_url(url)
    update_columns(tx, connection_id, values)
    return get(tx.conn, organization_id, connection_id)


def pause(
    tx: Tx, organization_id: str, connection_id: str, reason: PauseReason = "person", *, source: Source
) -> Connection:
    """Stop handing out replies; those that wait go on waiting. Idempotent. Raises `NotFound`."""
    before = get(tx.conn, organization_id, connection_id)
    if before.status == "active":
        open_replies.settle_all(tx, connection_id)
        update_columns(tx, connection_id, {"status": "paused", "pause_reason": reason})
        _tell_state(tx, get(tx.conn, organization_id, connection_id), source)
    return get(tx.conn, organization_id, connection_id)


def resume(tx: Tx, organization_id: str, connection_id: str, *, source: Source) -> Connection:
    """Hand out replies again; the time that they may wait starts anew. Raises `NotFound`."""
    before = get(tx.conn, organization_id, connection_id)
    if before.status == "paused":
        open_replies.settle_all(tx, connection_id)
        open_replies.resume_all(tx, connection_id)
        update_columns(tx, connection_id, {"status": "active", "pause_reason": None})
        _tell_state(tx, get(tx.conn, organization_id, connection_id), source)
    return get(tx.conn, organization_id, connection_id)


def remove(tx: Tx, organization_id: str, connection_id: str, *, source: Source) -> None:
    """Remove the connection for good: its keys are revoked, and open replies fail. Raises `NotFound`."""
    get(tx.conn, organization_id, connection_id)
    open_replies.settle_all(tx, connection_id)
    open_replies.fail_all(tx, connection_id, "removed", source=source)
    channel_keys.revoke_all(tx, connection_id)
    update_columns(
        tx,
        connection_id,
        {"status": "removed", "pause_reason": None, "secret": None, "previous_secret": None},
    )
    _tell_state(tx, find(tx.conn, connection_id), source)


def stop_all(tx: Tx, organization_id: str, *, source: Source) -> None:
    """Stop the organization's bridges: open replies fail, and no test is pushed."""
    own = sa.select(tables.connections.c.id).where(
        tables.connections.c.organization_id == organization_id, tables.connections.c.status != "removed"
    )
    for connection_id in tx.conn.scalars(own).all():
        open_replies.settle_all(tx, connection_id)
        open_replies.fail_all(tx, connection_id, "removed", source=source)
        deliveries.end_tests(tx, connection_id)
        tx.announce(OutboxChanged(connection_id))


def note_health(tx: Tx, organization_id: str, connection_id: str, report: HealthReport) -> None:
    """Store the health that the bridge reports; offline, it is handed no replies. Raises `NotFound`."""
    before = get(tx.conn, organization_id, connection_id)
    update_columns(
        tx,
        connection_id,
        {
            "health_state": report.state,
            "health_reason": report.reason,
            "health_detail": report.detail,
            "health_at": tx.now,
        },
    )
    if before.health is None or (before.health.state, before.health.reason) != (report.state, report.reason):
        _tell_state(tx, get(tx.conn, organization_id, connection_id), channel_source(connection_id))
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


def update_columns(tx: Tx, connection_id: str, values: dict[str, Any]) -> None:
    """Update columns of the connection, and announce the change."""
    tx.conn.execute(
        sa.update(tables.connections)
        .where(tables.connections.c.id == connection_id)
        .values(**(values | {"updated_at": tx.now}))
    )
    tx.announce(OutboxChanged(connection_id))


def _tell_state(tx: Tx, connection: Connection, source: Source) -> None:
    health = connection.health
    data = {
        "connectionId": connection.id,
        "status": connection.status,
        "pauseReason": connection.pause_reason,
        "health": None if health is None else {"state": health.state, "reason": health.reason},
    }
    event = NewEvent(type="connection.state", subject=connection.id, source=source, data=data)
    events.record(tx, connection.organization_id, [event])


def from_row(row: ConnectionRow) -> Connection:
    """The connection of a row."""
    health = None
    if row.health_state is not None and row.health_at is not None:
        health = Health(row.health_state, row.health_reason, row.health_detail, row.health_at)
    return Connection(
        id=row.id,
        organization_id=row.organization_id,
        name=row.name,
        account=Account(row.account_kind, row.account_id),
        messenger=row.messenger,
        delivery=row.delivery,
        url=row.url,
        contract=row.contract,
        status=row.status,
        pause_reason=row.pause_reason,
        health=health,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
