"""What of an organization's outbox is to be sent now, with all that it takes to write it."""

from collections.abc import Callable
from functools import cache
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.domain.identity.organizations import Organization
from svc.domain.locale.times import DAY_MS
from svc.domain.mail.kinds import NOTICE_KINDS, MailKind, NoticeKind, may_have
from svc.domain.mail.letters import MailData
from svc.domain.mail.limits import MAIL_LETTERS_A_DAY_MAX, MAIL_NOTICES_A_DAY_MAX
from svc.storage.identity import access, organizations
from svc.storage.identity import tables as identity_tables
from svc.storage.mail import tables
from svc.storage.readable import tell
from svc.storage.sql.expressions import Utf8

_mails: Final = tables.mails
_people: Final = identity_tables.people
_invitations: Final = identity_tables.invitations

_data: Final = msgspec.json.Decoder(MailData)


class DueMail(msgspec.Struct, frozen=True, kw_only=True):
    """A mail to be sent now."""

    id: str
    kind: MailKind
    recipient: str
    data: MailData
    sealed_token: bytes | None
    is_guest: bool
    """Whether the home of the recipient's account is another organization."""
    created_at: int
    unwanted: str | None = None
    """Why it is not to be sent any more."""


class MailBatch(msgspec.Struct, frozen=True, kw_only=True):
    """Mails to send now, letters first. Times are ms since the epoch."""

    organization: Organization
    due: tuple[DueMail, ...] = ()
    more: bool = False
    """Whether more may be due than were asked for."""
    next_at: int | None = None
    """When the next mail is due that is not due yet, or when the limit of a day has room again."""


def load(conn: sa.Connection, organization_id: str, now: int, limit: int) -> MailBatch:
    """What to send at *now*, at most *limit* mails. It is a pure read."""
    organization = organizations.get(conn, organization_id)
    due: list[DueMail] = []
    next_times: list[int] = []
    full = False
    for is_notice, a_day in ((False, MAIL_LETTERS_A_DAY_MAX), (True, MAIL_NOTICES_A_DAY_MAX)):
        waiting = (
            _mails.c.organization_id == organization_id,
            _mails.c.is_notice == is_notice,
            tables.IS_WAITING,
        )
        room, room_at = _room(conn, organization_id, now, is_notice=is_notice, a_day=a_day)
        wanted = min(limit - len(due), room)
        found = _rows(conn, waiting, now, wanted) if wanted > 0 else []
        due += _due(conn, organization, found)
        full |= len(found) == wanted
        later = conn.scalar(
            sa.select(sa.func.min(_mails.c.next_attempt_at)).where(*waiting, _mails.c.next_attempt_at > now)
        )
        next_times += [at for at in (later, room_at) if at is not None]
    return MailBatch(
        organization=organization,
        due=tuple(due),
        more=full and bool(due),
        next_at=min(next_times, default=None),
    )


def _room(
    conn: sa.Connection, organization_id: str, now: int, *, is_notice: bool, a_day: int
) -> tuple[int, int | None]:
    """How many may be sent at *now* by the limit of a day; and when there is room again, if there is none."""
    sent = (
        _mails.c.organization_id == organization_id,
        _mails.c.is_notice == is_notice,
        tables.IS_SENT,
        _mails.c.done_at > now - DAY_MS,
    )
    count, oldest = conn.execute(sa.select(sa.func.count(), sa.func.min(_mails.c.done_at)).where(*sent)).one()
    room = max(0, a_day - count)
    return room, None if room else oldest + DAY_MS


def _rows(
    conn: sa.Connection, waiting: tuple[sa.ColumnElement[bool] | sa.TextClause, ...], now: int, limit: int
) -> list[sa.Row[Any]]:
    return list(
        conn.execute(
            sa.select(
                _mails.c.id,
                _mails.c.kind,
                _mails.c.person_id,
                _mails.c.address,
                # As bytes, since text that is no UTF-8 could not even be fetched, and would fail all of them.
                Utf8(_mails.c.data).label("data"),
                _mails.c.token,
                _mails.c.created_at,
                _people.c.email,
                _people.c.email_proven_at,
                _people.c.home_organization_id,
            )
            .outerjoin(_people, _people.c.id == _mails.c.person_id)
            .where(*waiting, _mails.c.next_attempt_at <= now, _mails.c.expires_at > now)
            .order_by(_mails.c.next_attempt_at, _mails.c.id)
            .limit(limit)
        )
    )


def _due(conn: sa.Connection, organization: Organization, rows: list[sa.Row[Any]]) -> list[DueMail]:
    @cache
    def may(person_id: str, kind: NoticeKind) -> bool:
        """Whether the person is an active member here who may have such notices."""
        facts = access.of_person(conn, organization.id, person_id)
        member = facts.members.get(person_id)
        return member is not None and member.status == "active" and may_have(facts.role(member.role_id), kind)

    found = []
    for row in rows:
        unwanted = "the organization is closed" if organization.closed_at is not None else None
        data = MailData()
        try:
            data = _data.decode(row.data or b"")
        except msgspec.DecodeError as error:
            tell("mails", row.id, error)
            unwanted = "what is stored of it cannot be read"
        if data.erased:
            unwanted = "the person whom it was about was erased"
        found.append(
            DueMail(
                id=row.id,
                kind=row.kind,
                recipient=row.address or row.email or "",
                data=data,
                sealed_token=None if row.token is None else bytes(row.token),
                is_guest=row.home_organization_id not in {None, organization.id},
                created_at=row.created_at,
                unwanted=unwanted or _unwanted(conn, row, data, may),
            )
        )
    return found


def _unwanted(
    conn: sa.Connection, row: sa.Row[Any], data: MailData, may: Callable[[str, NoticeKind], bool]
) -> str | None:
    """Why a mail is not to be sent any more, by what has changed since it was queued."""
    if row.kind in NOTICE_KINDS:
        if row.email_proven_at is None:
            return "the address is not proven"
        return None if may(row.person_id, row.kind) else "the member may not have such notices any more"
    if row.kind == "invitation":
        waits = sa.select(_invitations.c.id).where(
            _invitations.c.id == data.id, _invitations.c.accepted_at.is_(None)
        )
        return None if conn.scalar(waits) is not None else "the invitation was withdrawn or accepted"
    return None
