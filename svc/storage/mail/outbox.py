"""The outbox of mail: a row for each mail, inserted in the transaction of what it is sent for.

A cause makes one mail for each recipient, by a unique key. Its row is what guarantees that it is sent; the
actor that sends may crash at any point, and sends a mail again that was under way, under the same id.
"""

from collections.abc import Sequence
from typing import Final

import msgspec
import sqlalchemy as sa
import structlog

from svc.domain.changes import MailsDue
from svc.domain.mail import progress as rules
from svc.domain.mail.kinds import NOTICE_KINDS, MailKind
from svc.domain.mail.letters import MailData
from svc.domain.mail.limits import (
    MAIL_ANSWER_CHARS_KEPT,
    MAIL_LETTERS_WAITING_MAX,
    MAIL_LIFE_MS,
    MAIL_WAITING_MAX,
)
from svc.domain.mail.progress import MailOutcome, MailProgress
from svc.domain.randomness import fraction
from svc.storage.mail import tables
from svc.storage.rows import Rows, Selection
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.upserts import insert_or_keep

log = structlog.get_logger("svc.storage.mail.outbox")

_mails: Final = tables.mails


class NewMail(msgspec.Struct, frozen=True, kw_only=True):
    """A mail to be sent, to an account or to an address."""

    organization_id: str
    kind: MailKind
    cause: str
    """What it is sent for: unique among mails of the kind to the same recipient."""
    person_id: str | None = None
    address: str | None = None
    data: MailData
    token: str | None = None
    """The secret of its link. It is stored sealed, and deleted once the mail has ended."""
    life_ms: int = MAIL_LIFE_MS


class _Mail(MailProgress, frozen=True, kw_only=True):
    """A mail as it is stored, and how far it is."""

    id: str
    organization_id: str
    kind: MailKind
    cause: str
    is_notice: bool
    person_id: str | None
    address: str | None
    data: MailData | None
    token: bytes | None
    created_at: int


NO_CONTENT: Final = {"data": None, "token": None, "address": None}
"""What is deleted of a mail once it has ended."""

_MAILS: Final = Rows(_mails, _Mail)
_PROGRESS: Final = Selection(MailProgress, _mails)
_INSERT = Statement(insert_or_keep(_mails, ["cause"]))
_LAST_ROOM = Statement(
    sa.select(_mails.c.id)
    .where(
        _mails.c.organization_id == sa.bindparam("organization_id"),
        _mails.c.is_notice == sa.bindparam("is_notice", type_=sa.Boolean),
        tables.IS_WAITING,
    )
    .order_by(_mails.c.next_attempt_at, _mails.c.id)
    .offset(sa.bindparam("full", type_=sa.Integer))
    .limit(1)
)
_GET = _PROGRESS.prepared(
    _PROGRESS.select(
        _mails.c.id == sa.bindparam("mail_id"),
        _mails.c.organization_id == sa.bindparam("organization_id"),
    )
)


def queue(tx: Tx, mails: Sequence[NewMail]) -> int:
    """Queue mails, and return how many are new; none where no mail server is configured.

    A mail for a cause that has one is dropped; so is one beyond what an organization may have waiting, which
    is logged.
    """
    if not tx.mails:
        return 0
    new: dict[str, int] = {}
    for mail in mails:
        is_notice = mail.kind in NOTICE_KINDS
        full = MAIL_WAITING_MAX if is_notice else MAIL_LETTERS_WAITING_MAX
        owner = mail.organization_id
        if _LAST_ROOM.one(tx.conn, organization_id=owner, is_notice=is_notice, full=full - 1) is not None:
            log.warning("too many mails wait, so this one is dropped", organization=owner, kind=mail.kind)
            continue
        mail_id = tx.new_id("mal")
        stored = _Mail(
            id=mail_id,
            organization_id=owner,
            kind=mail.kind,
            cause=f"{mail.kind}/{mail.cause}/{mail.person_id or ''}",
            is_notice=is_notice,
            person_id=mail.person_id,
            address=mail.address,
            data=mail.data,
            token=None if mail.token is None else tx.sealer.seal(mail.token, mail_id),
            created_at=tx.now,
            next_attempt_at=tx.now,
            expires_at=tx.now + mail.life_ms,
        )
        inserted = _INSERT.changed(tx.conn, _MAILS.values(stored))
        if inserted:
            new[owner] = new.get(owner, 0) + inserted
    for organization_id in new:
        tx.announce(MailsDue(organization_id))
    return sum(new.values())


def note(tx: Tx, organization_id: str, mail_id: str, outcome: MailOutcome) -> None:
    """Store what became of an attempt. What has ended keeps neither its content nor its link."""
    before = _GET.one(tx.conn, mail_id=mail_id, organization_id=organization_id)
    if before is None:
        return  # pruned meanwhile
    outcome = MailOutcome(outcome.verdict, outcome.answer[:MAIL_ANSWER_CHARS_KEPT])
    spread = fraction(tx.random) if outcome.verdict == "deferred" else 0.5
    after = rules.attempted(before, outcome, tx.now, spread)
    values = msgspec.structs.asdict(after) | ({} if after.state == "waiting" else NO_CONTENT)
    tx.conn.execute(sa.update(_mails).where(_mails.c.id == mail_id).values(values))


def organizations_due(conn: sa.Connection, until: int) -> list[str]:
    """The organizations with mails to attempt by *until*."""
    due = sa.select(_mails.c.organization_id).where(tables.IS_WAITING, _mails.c.next_attempt_at <= until)
    return sorted(conn.scalars(due.distinct()))
