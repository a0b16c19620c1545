"""Submissions: stored before anything else, then due or queued, then filed or held.

`due` and `queued` are what a person sees as Queued: stored, and not yet filed. A submission is
`due` from the moment that its form's pace has a place for it.
"""

from typing import Final, Literal, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.changes import ResourceChanged, SubmissionsDue
from svc.domain.forms.forms import Form
from svc.domain.identity.organizations import Organization
from svc.domain.ids import first_id, last_id
from svc.domain.limits import (
    PACE_FILINGS_MAX,
    PACE_WINDOW_MS,
    QUEUE_SUBMISSIONS_MAX,
    QUEUE_WINDOW_MS,
    SENDER_WINDOW_MS,
    VISITOR_KEY_DAYS,
)
from svc.domain.scalars import Scalar
from svc.domain.times import DAY_MS
from svc.storage.forms import forms as form_rows
from svc.storage.forms import server_keys, tables
from svc.storage.identity import organizations
from svc.storage.sites import sites
from svc.storage.statements import Statement
from svc.storage.store import Tx

State = Literal["due", "queued", "filed", "held"]
Label = Literal["Filed", "Held", "Queued"]

ERASED: Final = "erased"
"""The state of what a person sent who was erased: the row is counted, and shown nowhere."""
LABELS: Final[dict[State, Label]] = {"due": "Queued", "queued": "Queued", "filed": "Filed", "held": "Held"}


class NewSubmission(msgspec.Struct, frozen=True, kw_only=True):
    """A submission to be stored."""

    organization_id: str
    form_id: str
    queued: bool
    sender: str
    visitors: tuple[str, ...]
    email: str | None
    phone: str | None
    name: str | None
    fields: dict[str, Scalar]
    recognised: tuple[str, ...]
    mapped: dict[str, str]
    dropped: int
    spam: bool


_INSERT = Statement(sa.insert(tables.submissions))


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def create(tx: Tx, new: NewSubmission) -> str:
    """Store a submission and return its id; it is due, and announced as such, or queued."""
    submission_id = tx.new_id("sub")
    _INSERT.run(
        tx.conn,
        {
            "id": submission_id,
            "organization_id": new.organization_id,
            "form_id": new.form_id,
            "state": "queued" if new.queued else "due",
            "received_at": tx.now,
            "sender": new.sender,
            "visitors": _json(new.visitors) if new.visitors else None,
            "email": new.email,
            "phone": new.phone,
            "name": new.name,
            "fields": _json(new.fields),
            "recognised": _json(new.recognised),
            "mapped": _json(new.mapped),
            "dropped": new.dropped,
            "queued_at": tx.now if new.queued else None,
            "paced_at": None if new.queued else tx.now,
            "filed_at": None,
            "filed_by": None,
            "held_reason": "spam" if new.spam else None,
            "candidates": None,
            "contact_id": None,
            "deal_id": None,
        },
    )
    tx.announce(ResourceChanged(new.organization_id, "submission", submission_id))
    if not new.queued:
        tx.announce(SubmissionsDue(new.organization_id))
    return submission_id


class FormSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """A form and its recent submissions: what the admission of the next one depends on."""

    form: Form
    organization: Organization
    tracked: bool
    """Whether the organization tracks sites, so that there may be visits to attach."""
    server_keys: dict[str, int]
    """Digests of the organization's server keys that are not revoked, and when each expires."""
    sent: list[tuple[str, int]]
    """Sender and time of each submission of the last minute."""
    paced: list[int]
    """When each filing of the last minute took its place in the form's pace."""
    queued: list[int]
    """When each submission was queued that was queued in the last hour."""
    waiting: int
    """Submissions in the queue now."""
    waiting_since: int | None
    """When the oldest of them was queued."""


class _Queue(NamedTuple):
    """How many submissions of a form are queued, since when, and the id of the oldest."""

    waiting: int
    since: int | None
    head: str | None


class _Recent(NamedTuple):
    """A submission, for the windows that count it."""

    sender: str
    received_at: int
    queued_at: int | None


class _Paced(NamedTuple):
    """When a submission took its place in the form's pace."""

    paced_at: int | None


_WAITING = Statement(
    sa.select(
        sa.func.count().label("waiting"),
        sa.func.min(tables.submissions.c.queued_at).label("since"),
        sa.func.min(tables.submissions.c.id).label("head"),
    ).where(
        tables.submissions.c.form_id == sa.bindparam("form_id"), tables.submissions.c.state == tables.QUEUED
    ),
    _Queue,
)
_RECENT = Statement(
    sa.select(tables.submissions.c.sender, tables.submissions.c.received_at, tables.submissions.c.queued_at)
    .where(
        tables.submissions.c.form_id == sa.bindparam("form_id"),
        tables.submissions.c.id >= sa.bindparam("since"),
    )
    .order_by(tables.submissions.c.id.desc())
    # As many as a form may take in an hour. Where a clock was ahead once, ids begin with later times.
    .limit(PACE_FILINGS_MAX * (QUEUE_WINDOW_MS // PACE_WINDOW_MS + 1) + QUEUE_SUBMISSIONS_MAX),
    _Recent,
)
_LAST = Statement(
    sa.select(tables.submissions.c.paced_at)
    .where(
        tables.submissions.c.form_id == sa.bindparam("form_id"),
        tables.submissions.c.id < sa.bindparam("before"),
    )
    .order_by(tables.submissions.c.id.desc())
    .limit(PACE_FILINGS_MAX),
    _Paced,
)


def snapshot(conn: sa.Connection, form_key: str, now: int) -> FormSnapshot:
    """The standing of the form with the public key at *now*. Raises `NotFound`."""
    form = form_rows.by_key(conn, form_key)
    waiting, since, head = _WAITING.all(conn, form_id=form.id)[0]
    recent = _RECENT.all(conn, form_id=form.id, since=first_id("sub", now - QUEUE_WINDOW_MS))
    # The pace is kept in the order of arrival, so the newest ones ahead of the queue are the last paced.
    last = _LAST.all(conn, form_id=form.id, before=head or last_id("sub"))
    return FormSnapshot(
        form=form,
        organization=organizations.get(conn, form.organization_id),
        tracked=sites.any_tracked(conn, form.organization_id),
        server_keys=server_keys.live(conn, form.organization_id),
        sent=[(sender, at) for sender, at, _ in recent if at > now - SENDER_WINDOW_MS],
        paced=[at for (at,) in last if at is not None and at > now - PACE_WINDOW_MS],
        queued=[at for _, _, at in recent if at is not None and at > now - QUEUE_WINDOW_MS],
        waiting=waiting,
        waiting_since=since,
    )


_RELEASE = Statement(
    sa.update(tables.submissions)
    .where(
        tables.submissions.c.id.in_(
            sa.select(tables.submissions.c.id)
            .where(
                tables.submissions.c.form_id == sa.bindparam("of_form"),
                tables.submissions.c.state == tables.QUEUED,
            )
            .order_by(tables.submissions.c.id)
            .limit(sa.bindparam("room"))
        )
    )
    .values(state="due", paced_at=sa.bindparam("at"))
)


def release(tx: Tx, organization_id: str, form_id: str, room: int) -> int:
    """Make the oldest *room* of the form's queue due, and return how many that were."""
    released = _RELEASE.run(tx.conn, of_form=form_id, room=room, at=tx.now)
    if released:
        tx.announce(ResourceChanged(organization_id, "submission", None))
        tx.announce(SubmissionsDue(organization_id))
    return released


def organizations_with_due(conn: sa.Connection) -> list[str]:
    """The organizations that have submissions to be filed."""
    return list(
        conn.execute(
            sa.select(tables.submissions.c.organization_id)
            .where(tables.submissions.c.state == tables.DUE)
            .distinct()
        ).scalars()
    )


def forms_with_queue(conn: sa.Connection) -> list[str]:
    """The keys of the forms that have a queue."""
    return list(
        conn.execute(
            sa.select(tables.forms.c.form_key)
            .join(tables.submissions, tables.submissions.c.form_id == tables.forms.c.id)
            .where(tables.submissions.c.state == tables.QUEUED)
            .distinct()
        ).scalars()
    )


def forget_visitors(tx: Tx) -> None:
    """Clear the visitors of held submissions, once the key of their day is deleted.

    Names are beside them, which would identify the visitors of that day.
    """
    tx.conn.execute(
        sa.update(tables.submissions)
        .where(
            tables.submissions.c.state == tables.HELD,
            tables.submissions.c.received_at <= tx.now - VISITOR_KEY_DAYS * DAY_MS,
            tables.submissions.c.visitors.is_not(None),
        )
        .values(visitors=None)
    )
