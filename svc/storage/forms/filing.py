"""Filing, set by set: what the domain decides about due submissions, written in one transaction."""

from collections.abc import Sequence
from typing import Any

import msgspec
import sqlalchemy as sa
import structlog
from sqlalchemy.exc import OperationalError

from svc.domain.errors import Conflict
from svc.domain.events import NewEvent
from svc.domain.forms.events import SubmissionFiled, SubmissionHeld, form_source
from svc.domain.forms.filing import Contact, ContactIndex, Filing, StoredSubmission, file, file_to
from svc.domain.forms.limits import FILING_BATCH_MAX
from svc.domain.locale.times import rfc3339
from svc.domain.records.answers import RecordAnswer
from svc.domain.records.events import RecordCreated, record_event
from svc.domain.records.matching import HeldReason
from svc.domain.records.objects import CONTACT, DEAL, DEAL_STAGES
from svc.domain.versions import FIRST_VERSION
from svc.storage.events import events
from svc.storage.forms import filing_notices, stored_submissions, tables
from svc.storage.forms.stored_submissions import UnreadableSubmission
from svc.storage.identity import organizations
from svc.storage.readable import is_unreadable
from svc.storage.records import bulk, contacts, enrichments, objects
from svc.storage.records.enrichments import SourcedEnrichment
from svc.storage.records.notes import NOTES, Note
from svc.storage.rows import to_json
from svc.storage.sites import visits
from svc.storage.statements import Statement
from svc.storage.store import Tx

log = structlog.get_logger("svc.storage.forms.filing")


class FilingTarget(msgspec.Struct, frozen=True):
    """Where an organization's submissions are filed; it does not change while the organization lives."""

    organization_id: str
    object_ids: dict[str, str]
    """Ids of the built-in objects, by slug."""


def target(conn: sa.Connection, organization_id: str) -> FilingTarget:
    """What filings of the organization write to. Raises `NotFound`."""
    organization = organizations.get(conn, organization_id)
    return FilingTarget(organization.id, objects.ids_by_slug(conn, organization.id))


def file_due(tx: Tx, where: FilingTarget, batch: int = FILING_BATCH_MAX) -> int:
    """File the oldest due submissions, at most *batch*, and return how many that were."""
    due = stored_submissions.due(tx.conn, where.organization_id, batch)
    _hold(tx, where, due.unreadable, "unreadable")
    if due.readable:
        directory = _directory(tx, where, due.readable)
        _write(tx, where, [file(submission, directory) for submission in due.readable], filed_by=None)
    return len(due)


def file_each_due(tx: Tx, where: FilingTarget, batch: int = FILING_BATCH_MAX) -> int:
    """As `file_due`, each submission for itself; one that cannot be filed is held, as `error`."""
    due = stored_submissions.due(tx.conn, where.organization_id, batch)
    _hold(tx, where, due.unreadable, "unreadable")
    for submission in due.readable:
        try:
            with tx.savepoint():
                _write(tx, where, [file(submission, _directory(tx, where, [submission]))], filed_by=None)
        except Exception as error:
            if isinstance(error, OperationalError) and not is_unreadable(error):
                # A fault of the machine, not of the submission: the filing is retried later.
                raise
            log.exception("a submission could not be filed and is held", submission=submission.id)
            _hold(tx, where, [UnreadableSubmission(submission.id, submission.form.id)], "error")
    return len(due)


def attach(
    tx: Tx, where: FilingTarget, submission_id: str, contact_id: str | None, filed_by: str | None
) -> Filing:
    """File a held submission to the contact that a person says it was sent by; None makes a new one.

    A candidate that was merged since stands for the contact that it was merged into, and the other way round.

    Raises `NotFound` if the organization has no such submission, and `Conflict` if it is not held, or the
    contact is not among its candidates, or not there any more.
    """
    held = stored_submissions.held(tx.conn, where.organization_id, submission_id)
    chosen: list[Contact] = []
    if contact_id is not None:
        survivors = contacts.survivors(tx.conn, where.organization_id, held.candidates)
        if contact_id not in {*held.candidates, *survivors.values()}:
            raise Conflict("the contact is not among the candidates")
        contact_id = survivors.get(contact_id, contact_id)
        chosen = contacts.by_ids(tx.conn, where.organization_id, [contact_id])
        if not chosen:
            raise Conflict("the contact is not there any more")
    directory = _directory(tx, where, [held.submission], chosen)
    filing = file_to(held.submission, contact_id, directory)
    _write(tx, where, [filing], filed_by=filed_by)
    return filing


_HOLD = Statement(
    sa.update(tables.submissions)
    .where(tables.submissions.c.id == sa.bindparam("submission_id"))
    .values(state="held", held_reason=sa.bindparam("reason"))
)


def _hold(tx: Tx, where: FilingTarget, which: Sequence[UnreadableSubmission], reason: HeldReason) -> None:
    """Hold submissions without decoding them."""
    _HOLD.many(tx.conn, [{"submission_id": submission.id, "reason": reason} for submission in which])
    held = [_held_event(submission.id, submission.form_id, reason) for submission in which]
    events.record(tx, where.organization_id, held)
    filing_notices.tell_unreadable(tx, where.organization_id, which, reason)


def _directory(
    tx: Tx, where: FilingTarget, filed: Sequence[StoredSubmission], chosen: Sequence[Contact] = ()
) -> ContactIndex:
    emails = {one.email for one in filed if one.email}
    phones = {one.phone for one in filed if one.phone}
    known = {one.id: one for one in contacts.known_by(tx.conn, where.organization_id, emails, phones)}
    return ContactIndex(
        [*known.values(), *(one for one in chosen if one.id not in known)],
        properties=(
            objects.properties_of(tx.conn, where.object_ids[CONTACT])
            if any(one.mapped for one in filed)
            else {}
        ),
        country=organizations.get(tx.conn, where.organization_id).country,
        new_contact_id=lambda: tx.new_id("rec"),
    )


_UPDATE_SUBMISSION = Statement(
    sa.update(tables.submissions)
    .where(tables.submissions.c.id == sa.bindparam("submission_id"))
    .values(
        {
            name: sa.bindparam(f"new_{name}")
            for name in (
                "state",
                "visitors",
                "filed_at",
                "filed_by",
                "held_reason",
                "candidates",
                "contact_id",
                "deal_id",
            )
        }
    )
)


def _write(tx: Tx, where: FilingTarget, filings: Sequence[Filing], *, filed_by: str | None) -> None:
    """Write every effect of *filings*, a statement a table."""
    filed = [filing for filing in filings if filing.contact is not None]
    deals = {filing.submission.id: tx.new_id("rec") for filing in filed if filing.deal_title is not None}
    enrichments.write(
        tx, where.organization_id, where.object_ids[CONTACT], [_learned(filing) for filing in filed]
    )
    bulk.insert_many(
        tx.conn,
        where.organization_id,
        where.object_ids[DEAL],
        tx.now,
        [(deals[filing.submission.id], _deal(filing)) for filing in filed if filing.submission.id in deals],
    )
    _write_notes(tx, where, filed)
    _attach_visits(tx, where, filed)
    _UPDATE_SUBMISSION.many(
        tx.conn, [_outcome(tx, filing, deals.get(filing.submission.id), filed_by) for filing in filings]
    )
    events.record(
        tx,
        where.organization_id,
        [
            event
            for filing in filings
            for event in _happened(tx, where, filing, deals.get(filing.submission.id))
        ],
    )
    filing_notices.tell(tx, where.organization_id, filings)


def _learned(filing: Filing) -> SourcedEnrichment:
    assert filing.contact is not None  # noqa: S101  # only what is filed has something to teach
    return SourcedEnrichment(
        contact=filing.contact,
        created=filing.created,
        filled=filing.filled,
        suggested=filing.suggested,
        properties=filing.properties,
        version=filing.version,
        source=form_source(filing.submission.form.id, filing.submission.id),
        submission_id=filing.submission.id,
    )


def _deal(filing: Filing) -> dict[str, Any]:
    assert filing.contact is not None  # noqa: S101  # only filed submissions open deals
    return {"name": filing.deal_title, "stage": DEAL_STAGES[0], "contact": filing.contact.id}


def _write_notes(tx: Tx, where: FilingTarget, filed: Sequence[Filing]) -> None:
    written = [
        Note(
            id=tx.new_id("not"),
            record_id=one.contact.id,
            title=one.submission.form.name,
            body=one.note,
            submission_id=one.submission.id,
            source=dict(form_source(one.submission.form.id, one.submission.id)),
            created_at=tx.now,
        )
        for one in filed
        if one.contact
    ]
    if written:
        NOTES.insert_many(tx.conn, written, organization_id=where.organization_id)


def _attach_visits(tx: Tx, where: FilingTarget, filed: Sequence[Filing]) -> None:
    visits.attach(
        tx.conn,
        where.organization_id,
        [(visitor, one.contact.id) for one in filed if one.contact for visitor in one.submission.visitors],
    )


def _outcome(tx: Tx, filing: Filing, deal_id: str | None, filed_by: str | None) -> dict[str, Any]:
    contact, submission = filing.contact, filing.submission
    return {
        "submission_id": submission.id,
        "new_state": "filed" if contact else "held",
        "new_visitors": None if contact else to_json(submission.visitors or None),
        "new_filed_at": tx.now if contact else None,
        "new_filed_by": filed_by,
        "new_held_reason": filing.held or submission.held_reason,
        "new_candidates": to_json(filing.candidates or None),
        "new_contact_id": contact.id if contact else None,
        "new_deal_id": deal_id,
    }


def _held_event(submission_id: str, form_id: str, reason: HeldReason | None) -> NewEvent:
    source = form_source(form_id, submission_id)
    return SubmissionHeld(submission_id=submission_id, form_id=form_id, reason=reason, source=source)


def _happened(tx: Tx, where: FilingTarget, filing: Filing, deal_id: str | None) -> list[NewEvent]:
    submission, contact = filing.submission, filing.contact
    if contact is None:
        return [_held_event(submission.id, submission.form.id, filing.held)]
    source = form_source(submission.form.id, submission.id)
    happened: list[NewEvent] = list(
        enrichments.happened(tx.conn, where.object_ids[CONTACT], _learned(filing), tx.now)
    )
    if deal_id is not None:
        at = rfc3339(tx.now)
        deal = RecordAnswer(
            id=deal_id,
            object_type=DEAL,
            version=FIRST_VERSION,
            properties=_deal(filing),
            created_at=at,
            updated_at=at,
        )
        happened.append(record_event(RecordCreated, deal, source))
    filed = SubmissionFiled(
        submission_id=submission.id,
        form_id=submission.form.id,
        contact_id=contact.id,
        deal_id=deal_id,
        fields=submission.fields,
        source=source,
    )
    happened.append(filed)
    return happened
