"""The job of the form endpoint in one transaction a request, as both peers do it.

Shared with the program: the tables, and the pure rules of `svc.domain` (what a submission is, phone
numbers, matching, what filing changes, sliding windows). Everything else is written here as SQLAlchemy
Core is commonly written: statements made once, so that Core's own cache compiles them once. Favours to
the peers: windows are kept in memory, a submission is inserted with its outcome instead of being inserted
and updated, an organization's objects are looked up once, and the pass over the queue is left out, as no
load of the bench fills a queue.
"""

import secrets
import threading
import time
from collections.abc import Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, Row, and_, bindparam, exists, insert, or_, select, update

from svc.domain.forms.fields import field_map
from svc.domain.forms.filing import Contact, ContactIndex, Filing, StoredSubmission, file
from svc.domain.forms.forms import Form
from svc.domain.forms.limits import (
    FORM_BODY_BYTES_MAX,
    PACE_FILINGS_MAX,
    PACE_WINDOW_MS,
    QUEUE_SUBMISSIONS_MAX,
    QUEUE_WINDOW_MS,
    SENDER_SUBMISSIONS_MAX,
    SENDER_WINDOW_MS,
)
from svc.domain.forms.submissions import (
    BadSubmission,
    PreparedSubmission,
    SubmissionInput,
    prepare,
    read_submission,
)
from svc.domain.identity.organizations import Organization
from svc.domain.ids import Ids, first_id
from svc.domain.net.client_addresses import sender_of
from svc.domain.net.origins import origin_allowed
from svc.domain.randomness import SYSTEM
from svc.domain.rate_limits.keyed_windows import KeyedWindows
from svc.domain.rate_limits.sliding_window import SlidingWindow
from svc.domain.records.objects import CONTACT, DEAL, DEAL_STAGES
from svc.domain.records.properties import Property
from svc.domain.sites.visits import visitor_digests
from svc.domain.versions import FIRST_VERSION
from svc.storage.forms.tables import forms, submissions
from svc.storage.identity.tables import organizations
from svc.storage.records.tables import identities, notes, objects, properties, records, suggestions
from svc.storage.sites.tables import sites, visitor_keys, visits
from svc.storage.tables import events

PRAGMAS: Final = ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA foreign_keys = ON")
BUSY_SECONDS: Final = 30
POOL_WAIT_SECONDS: Final = 30
READERS: Final = 4
new_id: Final = Ids(SYSTEM).new
TAKEN: Final = b'{"ok":true}'
"""What both peers answer 200 with."""


class Refused(Exception):
    """Raised when a submission is not taken."""

    def __init__(self, reason: str, status: int = 400) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status


class Found(msgspec.Struct, frozen=True):
    """A form as the database has it at this moment."""

    form: Form
    organization: Organization
    tracked: bool


class Accepted(msgspec.Struct, frozen=True):
    """A submission that is to be stored and filed."""

    found: Found
    prepared: PreparedSubmission
    sender: str
    visitors: tuple[str, ...]
    queued: bool
    spam: bool
    now: int


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def read(raw: bytes) -> SubmissionInput:
    """The submission in the body *raw*."""
    if len(raw) > FORM_BODY_BYTES_MAX:
        raise Refused("shape", 413)
    try:
        return read_submission(msgspec.json.decode(raw))
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise Refused("shape") from None
    except BadSubmission as error:
        raise Refused(error.reason) from None


_FIND: Final = (
    select(
        forms.c.id,
        forms.c.organization_id,
        forms.c.name,
        forms.c.form_key,
        forms.c.status,
        sites.c.domain,
        forms.c.field_map,
        forms.c.deal_title,
        forms.c.honeypot,
        exists()
        .where(sites.c.organization_id == forms.c.organization_id, sites.c.removed_at.is_(None))
        .correlate(forms)
        .label("tracked"),
        organizations.c.name.label("organization_name"),
        *(column for column in organizations.c if column.name not in {"id", "name"}),
    )
    .select_from(
        forms.join(organizations, organizations.c.id == forms.c.organization_id).outerjoin(
            sites, sites.c.id == forms.c.site_id
        )
    )
    .where(forms.c.form_key == bindparam("key"))
)


def find(conn: Connection, form_key: str) -> Found:
    """The form, its site and its organization."""
    row = conn.execute(_FIND, {"key": form_key}).one_or_none()
    if row is None:
        raise Refused("unknown_form")
    return Found(
        Form(
            id=row.id,
            organization_id=row.organization_id,
            name=row.name,
            form_key=row.form_key,
            status=row.status,
            domain=row.domain,
            field_map=msgspec.json.decode(row.field_map),
            deal_title=row.deal_title,
            honeypot=row.honeypot,
        ),
        Organization(
            id=row.organization_id,
            name=row.organization_name,
            country=row.country,
            currency=row.currency,
            locale=row.locale,
            time_zone=row.time_zone,
            plan=row.plan,
            trial_ends_at=row.trial_ends_at,
            marketing_hub=row.marketing_hub,
            created_at=row.created_at,
            closed_at=row.closed_at,
            version=FIRST_VERSION,
        ),
        row.tracked,
    )


class FormWindows:
    """One form's windows."""

    def __init__(self, recent: Sequence[Row[Any]], now: int) -> None:
        self.senders = KeyedWindows(
            SENDER_WINDOW_MS,
            SENDER_SUBMISSIONS_MAX,
            [(row.sender, row.received_at) for row in recent if row.received_at > now - SENDER_WINDOW_MS],
        )
        self.pace = SlidingWindow(
            PACE_WINDOW_MS, PACE_FILINGS_MAX, [row.paced_at for row in recent if row.paced_at]
        )
        self.queued = SlidingWindow(
            QUEUE_WINDOW_MS, QUEUE_SUBMISSIONS_MAX, [row.queued_at for row in recent if row.queued_at]
        )
        self.waiting = sum(row.state == "queued" for row in recent)


_RECENT: Final = select(
    submissions.c.sender,
    submissions.c.received_at,
    submissions.c.paced_at,
    submissions.c.queued_at,
    submissions.c.state,
).where(submissions.c.form_id == bindparam("form"), submissions.c.id >= bindparam("first"))


class Gate:
    """Everybody's windows, rebuilt from what is stored when a form is first asked for."""

    def __init__(self) -> None:
        self._windows: dict[str, FormWindows] = {}
        self._lock = threading.Lock()

    def load(self, conn: Connection, form_id: str, now: int) -> None:
        """Have the form's windows at hand."""
        if form_id not in self._windows:
            first = first_id("sub", now - QUEUE_WINDOW_MS)
            recent = conn.execute(_RECENT, {"form": form_id, "first": first}).all()
            self._windows.setdefault(form_id, FormWindows(recent, now))

    def admit(self, form_id: str, sender: str, now: int) -> bool:
        """Count a submission; whether it queues. Its place stays taken should the store fail."""
        with self._lock:
            windows = self._windows[form_id]
            if windows.senders.next_room_at(sender, now) is not None:
                raise Refused("rate", 429)
            queued = windows.waiting > 0 or not windows.pace.room(now)
            if queued and windows.queued.next_room_at(now) is not None:
                raise Refused("rate", 429)
            windows.senders.add(sender, now)
            if queued:
                windows.queued.add(now)
                windows.waiting += 1
            else:
                windows.pace.add(now)
            return queued


class Desk:
    """What a process keeps at hand."""

    def __init__(self) -> None:
        self.gate = Gate()
        self.secret = secrets.token_bytes(32)
        self.visitor_keys: list[bytes] = []
        self._object_ids: dict[str, dict[str, str]] = {}

    def start(self, conn: Connection) -> None:
        """Read what every request needs."""
        self.visitor_keys = list(conn.execute(select(visitor_keys.c.key)).scalars()) or [self.secret]

    def look_up(self, conn: Connection, form_key: str) -> Found:
        """The form, with its windows at hand."""
        found = find(conn, form_key)
        self.gate.load(conn, found.form.id, now_ms())
        return found

    def accept(
        self, found: Found, asked: SubmissionInput, *, origin: str | None, address: str, user_agent: str
    ) -> Accepted:
        """Everything that may turn a submission away, in the order of the contract."""
        form, organization, now = found.form, found.organization, now_ms()
        if form.status != "active" or not organization.may_take_forms(now):
            raise Refused("unknown_form")
        if not origin_allowed(origin, form.domain):
            raise Refused("origin")
        prepared = prepare(asked.values, field_map(form.field_map), organization.country)
        if not prepared.has_contact:
            raise Refused("no_contact")
        sender = sender_of(address, self.secret)
        queued = self.gate.admit(form.id, sender, now)
        return Accepted(
            found,
            prepared,
            sender,
            visitor_digests(address, user_agent, self.visitor_keys) if found.tracked else (),
            queued,
            form.honeypot is not None and asked.values.get(form.honeypot) not in {None, "", False},
            now,
        )

    def object_ids(self, conn: Connection, organization_id: str) -> dict[str, str]:
        """The organization's objects by slug."""
        ids = self._object_ids.get(organization_id)
        if ids is None:
            rows = conn.execute(
                select(objects.c.slug, objects.c.id).where(objects.c.organization_id == organization_id)
            )
            ids = self._object_ids[organization_id] = {row.slug: row.id for row in rows}
        return ids


_KNOWN: Final = (
    select(records.c.id, records.c.properties)
    .join(identities, identities.c.record_id == records.c.id)
    .where(
        records.c.deleted_at.is_(None),
        or_(
            *(
                and_(
                    identities.c.organization_id == bindparam("organization"),
                    identities.c.kind == kind,
                    identities.c.value == bindparam(kind),
                )
                for kind in ("email", "phone")
            )
        ),
    )
    .distinct()
)
_PROPERTIES: Final = (
    select(
        properties.c.slug,
        properties.c.label,
        properties.c.type,
        properties.c.options,
        properties.c.personal,
    )
    .where(properties.c.object_id == bindparam("object"))
    .order_by(properties.c.position)
)
_UPDATE_CONTACT: Final = (
    update(records)
    .where(records.c.id == bindparam("record"))
    .values(properties=bindparam("new_properties"), updated_at=bindparam("at"))
)
_OPEN_SUGGESTIONS: Final = select(suggestions.c.property, suggestions.c.value).where(
    suggestions.c.record_id == bindparam("record"), suggestions.c.state == "open"
)
_ATTACH_VISITS: Final = (
    update(visits)
    .where(
        visits.c.organization_id == bindparam("organization"),
        visits.c.visitor.in_(bindparam("visitors", expanding=True)),
        visits.c.record_id.is_(None),
    )
    .values(record_id=bindparam("record"))
)
_INSERT_RECORD: Final = insert(records)
_INSERT_IDENTITY: Final = insert(identities)
_INSERT_NOTE: Final = insert(notes)
_INSERT_SUGGESTION: Final = insert(suggestions)
_INSERT_SUBMISSION: Final = insert(submissions)
_INSERT_EVENT: Final = insert(events)


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def store(conn: Connection, desk: Desk, accepted: Accepted) -> None:
    """Store and file a submission inside the transaction that *conn* is in."""
    found, prepared, now = accepted.found, accepted.prepared, accepted.now
    submission = StoredSubmission(
        id=new_id("sub", now),
        form=found.form,
        received_at=now,
        email=prepared.email,
        phone=prepared.phone,
        name=prepared.name,
        fields=prepared.fields,
        recognised=prepared.recognised,
        mapped=prepared.mapped,
        dropped=prepared.dropped,
        held_reason="spam" if accepted.spam else None,
        visitors=accepted.visitors,
    )
    if accepted.queued:
        _insert_submission(conn, accepted, submission, None, None)
        return
    object_ids = desk.object_ids(conn, found.organization.id)
    filing = file(submission, _directory(conn, submission, found.organization, object_ids[CONTACT]))
    deal_id = _insert_records(conn, filing, found.organization.id, object_ids, now)
    _insert_submission(conn, accepted, submission, filing, deal_id)
    if filing.contact is not None:
        _insert_effects(conn, filing, filing.contact, found.organization.id, now)
    _insert_events(conn, filing, found.organization.id, deal_id, now)


def _directory(
    conn: Connection, submission: StoredSubmission, organization: Organization, contact_object: str
) -> ContactIndex:
    rows = conn.execute(
        _KNOWN, {"organization": organization.id, "email": submission.email, "phone": submission.phone}
    )
    return ContactIndex(
        [Contact(id=row.id, properties=msgspec.json.decode(row.properties)) for row in rows],
        properties=(
            {
                row.slug: Property(
                    slug=row.slug,
                    label=row.label,
                    type=row.type,
                    options=tuple(msgspec.json.decode(row.options)),
                    personal=row.personal,
                )
                for row in conn.execute(_PROPERTIES, {"object": contact_object})
            }
            if submission.mapped
            else {}
        ),
        country=organization.country,
        new_contact_id=lambda: new_id("rec", submission.received_at),
    )


def _deal(filing: Filing, contact: Contact) -> dict[str, Any]:
    return {"name": filing.deal_title, "stage": DEAL_STAGES[0], "contact": contact.id}


def _insert_records(
    conn: Connection, filing: Filing, organization_id: str, object_ids: dict[str, str], now: int
) -> str | None:
    """Write the contact and the deal; returns the deal's id."""
    contact = filing.contact
    if contact is None:
        return None
    made = [(contact.id, object_ids[CONTACT], contact.properties)] if filing.created else []
    deal_id = new_id("rec", now) if filing.deal_title is not None else None
    if deal_id is not None:
        made.append((deal_id, object_ids[DEAL], _deal(filing, contact)))
    if made:
        conn.execute(
            _INSERT_RECORD,
            [
                {
                    "id": record_id,
                    "organization_id": organization_id,
                    "object_id": object_id,
                    "properties": _json(values),
                    "created_at": now,
                    "updated_at": now,
                    "deleted_at": None,
                }
                for record_id, object_id, values in made
            ],
        )
    if filing.filled and not filing.created:
        conn.execute(
            _UPDATE_CONTACT,
            {"record": contact.id, "new_properties": _json(contact.properties), "at": now},
        )
    learned = [kind for kind in ("email", "phone") if kind in filing.filled]
    if learned:
        conn.execute(
            _INSERT_IDENTITY,
            [
                {
                    "organization_id": organization_id,
                    "kind": kind,
                    "value": filing.filled[kind],
                    "record_id": contact.id,
                }
                for kind in learned
            ],
        )
    return deal_id


def _insert_submission(
    conn: Connection,
    accepted: Accepted,
    submission: StoredSubmission,
    filing: Filing | None,
    deal_id: str | None,
) -> None:
    """Write the submission, with what became of it unless it queues."""
    contact = filing.contact if filing else None
    state = "queued" if filing is None else "filed" if contact else "held"
    conn.execute(
        _INSERT_SUBMISSION,
        {
            "id": submission.id,
            "organization_id": accepted.found.organization.id,
            "form_id": submission.form.id,
            "state": state,
            "received_at": accepted.now,
            "sender": accepted.sender,
            "visitors": _json(submission.visitors) if submission.visitors and contact is None else None,
            "email": submission.email,
            "phone": submission.phone,
            "name": submission.name,
            "fields": _json(submission.fields),
            "recognised": _json(submission.recognised),
            "mapped": _json(submission.mapped),
            "dropped": submission.dropped,
            "queued_at": accepted.now if filing is None else None,
            "paced_at": None if filing is None else accepted.now,
            "filed_at": accepted.now if contact else None,
            "filed_by": None,
            "held_reason": (filing.held if filing else None) or submission.held_reason,
            "candidates": _json(filing.candidates) if filing and filing.candidates else None,
            "contact_id": contact.id if contact else None,
            "deal_id": deal_id,
        },
    )


def _insert_effects(
    conn: Connection, filing: Filing, contact: Contact, organization_id: str, now: int
) -> None:
    """Write the note and the suggestions, and attach the visits."""
    submission = filing.submission
    conn.execute(
        _INSERT_NOTE,
        {
            "id": new_id("not", now),
            "organization_id": organization_id,
            "record_id": contact.id,
            "title": submission.form.name,
            "body": filing.note,
            "submission_id": submission.id,
            "created_at": now,
        },
    )
    if filing.suggested:
        there = {(row.property, row.value) for row in conn.execute(_OPEN_SUGGESTIONS, {"record": contact.id})}
        rows = [
            {
                "id": new_id("sug", now),
                "organization_id": organization_id,
                "record_id": contact.id,
                "property": slug,
                "value": _json(value),
                "submission_id": submission.id,
                "state": "open",
                "created_at": now,
                "decided_at": None,
            }
            for slug, value in filing.suggested.items()
            if (slug, _json(value)) not in there
        ]
        if rows:
            conn.execute(_INSERT_SUGGESTION, rows)
    if submission.visitors:
        conn.execute(
            _ATTACH_VISITS,
            {"organization": organization_id, "visitors": list(submission.visitors), "record": contact.id},
        )


def _insert_events(
    conn: Connection, filing: Filing, organization_id: str, deal_id: str | None, now: int
) -> None:
    conn.execute(
        _INSERT_EVENT,
        [
            {
                "id": new_id("evt", now),
                "organization_id": organization_id,
                "type": kind,
                "at": now,
                "data": _json(data),
                "subject": data.get("recordId", filing.submission.id),
                "object_type": data.get("objectType"),
                "depth": 0,
                "position": None,
            }
            for kind, data in _happened(filing, deal_id)
        ],
    )


def _happened(filing: Filing, deal_id: str | None) -> list[tuple[str, dict[str, Any]]]:
    submission, contact = filing.submission, filing.contact
    about = {"submissionId": submission.id, "formId": submission.form.id}
    if contact is None:
        return [("submission.held", about | {"reason": filing.held})]
    source = {"kind": "form", "formId": submission.form.id, "submissionId": submission.id}

    def of_record(object_type: str, record_id: str, values: dict[str, Any]) -> dict[str, Any]:
        record = {"id": record_id, "objectType": object_type, "properties": values}
        return {"objectType": object_type, "recordId": record_id, "record": record, "source": source}

    happened: list[tuple[str, dict[str, Any]]] = []
    if filing.created or filing.filled:
        kind = "record.created" if filing.created else "record.updated"
        happened.append((kind, of_record(CONTACT, contact.id, contact.properties)))
    if deal_id is not None:
        happened.append(("record.created", of_record(DEAL, deal_id, _deal(filing, contact))))
    happened.append(("submission.filed", about | {"contactId": contact.id}))
    return happened
