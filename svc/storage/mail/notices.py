"""Notices: which kinds a member wants, and mails for what has happened to those who want to be told."""

from collections.abc import Callable, Collection, Iterable
from typing import Final, NamedTuple

import sqlalchemy as sa

from svc.domain.errors import Conflict
from svc.domain.mail.kinds import NOTICE_KINDS, PERSONAL_KINDS, NoticeKind
from svc.domain.mail.letters import MailData
from svc.domain.mail.limits import MAIL_RECIPIENTS_MAX
from svc.storage.mail import outbox, tables
from svc.storage.mail.outbox import NewMail
from svc.storage.statements import Statement
from svc.storage.store import Tx

_choices: Final = tables.notice_choices


_WANTING = Statement(
    sa.select(_choices.c.person_id)
    .where(
        _choices.c.organization_id == sa.bindparam("organization_id"),
        _choices.c.kind == sa.bindparam("kind"),
    )
    .order_by(_choices.c.person_id),
    str,
)


class Notice(NamedTuple):
    """What has happened, to be told to those who want to know."""

    cause: str
    """Unique among notices of its kind: a second one of the same cause makes no mails."""
    data: MailData


def tell(tx: Tx, organization_id: str, kind: NoticeKind, happened: Callable[[], Iterable[Notice]]) -> None:
    """Queue mails for what has happened, in its transaction. It is only asked if anybody wants to be told."""
    if not tx.mails:
        return
    wanting = _WANTING.all(tx.conn, organization_id=organization_id, kind=kind)
    if not wanting:
        return
    outbox.queue(
        tx,
        [_mail(organization_id, kind, notice, person_id) for notice in happened() for person_id in wanting],
    )


def tell_some(
    tx: Tx, organization_id: str, kind: NoticeKind, notice: Notice, person_ids: Collection[str]
) -> None:
    """As `tell`, to those of *person_ids* who want to be told."""
    if not tx.mails or not person_ids:
        return
    wanting = _WANTING.all(tx.conn, organization_id=organization_id, kind=kind)
    outbox.queue(
        tx,
        [_mail(organization_id, kind, notice, person_id) for person_id in wanting if person_id in person_ids],
    )


def _mail(organization_id: str, kind: NoticeKind, notice: Notice, person_id: str) -> NewMail:
    return NewMail(
        organization_id=organization_id,
        kind=kind,
        cause=notice.cause,
        person_id=person_id,
        data=notice.data,
    )


def chosen(conn: sa.Connection, organization_id: str, person_id: str) -> tuple[NoticeKind, ...]:
    """The kinds that the person wants of the organization, in the order of `NOTICE_KINDS`."""
    wanted = set(
        conn.scalars(
            sa.select(_choices.c.kind).where(
                _choices.c.organization_id == organization_id, _choices.c.person_id == person_id
            )
        )
    )
    return tuple(kind for kind in NOTICE_KINDS if kind in wanted)


def choose(tx: Tx, organization_id: str, person_id: str, kinds: Iterable[NoticeKind]) -> None:
    """Have the person told of *kinds*, and of no others.

    Raises `Conflict` where `MAIL_RECIPIENTS_MAX` members are told of one already.
    """
    own = (_choices.c.organization_id == organization_id, _choices.c.person_id == person_id)
    tx.conn.execute(sa.delete(_choices).where(*own))
    for kind in sorted(set(kinds)):
        wanting = _WANTING.all(tx.conn, organization_id=organization_id, kind=kind)
        if kind not in PERSONAL_KINDS and len(wanting) >= MAIL_RECIPIENTS_MAX:
            raise Conflict(f"{MAIL_RECIPIENTS_MAX} members are told of {kind} already, which is the limit")
        tx.conn.execute(
            sa.insert(_choices).values(organization_id=organization_id, person_id=person_id, kind=kind)
        )
