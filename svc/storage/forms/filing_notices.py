"""Notices of submissions that were filed or held, to the members who want to be told.

What is held as spam is not told: it is what the honeypot is there for.
"""

from collections.abc import Iterator, Sequence

import sqlalchemy as sa

from svc.domain.forms.filing import Filing
from svc.domain.mail.letters import MailData
from svc.domain.records.matching import HeldReason
from svc.storage.forms import tables
from svc.storage.forms.stored_submissions import UnreadableSubmission
from svc.storage.mail import notices
from svc.storage.mail.notices import Notice
from svc.storage.store import Tx


def tell(tx: Tx, organization_id: str, filings: Sequence[Filing]) -> None:
    """Tell what became of submissions, in the transaction of their filing."""

    def filed() -> Iterator[Notice]:
        return (_notice(one, "") for one in filings if one.contact)

    def held() -> Iterator[Notice]:
        return (_notice(one, one.held or "") for one in filings if not one.contact and one.held != "spam")

    notices.tell(tx, organization_id, "submission.filed", filed)
    notices.tell(tx, organization_id, "submission.held", held)


def tell_unreadable(
    tx: Tx, organization_id: str, which: Sequence[UnreadableSubmission], reason: HeldReason
) -> None:
    """As `tell`, of submissions that are held without being read."""

    def held() -> Iterator[Notice]:
        for one in which:
            name = tx.conn.scalar(sa.select(tables.forms.c.name).where(tables.forms.c.id == one.form_id))
            data = MailData(id=one.id, form_id=one.form_id, name=name or "", reason=reason, at=tx.now)
            yield Notice(one.id, data)

    notices.tell(tx, organization_id, "submission.held", held)


def _notice(filing: Filing, reason: str) -> Notice:
    submission = filing.submission
    data = MailData(
        id=submission.id,
        name=submission.form.name,
        form_id=submission.form.id,
        reason=reason,
        person=submission.name or "",
        email=submission.email,
        fields=tuple(submission.fields.items()),
        at=submission.received_at,
    )
    return Notice(submission.id, data)
