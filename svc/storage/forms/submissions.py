"""Submissions: stored before anything else, then due or queued, then filed or held.

`due` and `queued` are what a person sees as Queued: stored, and not yet filed. A submission is
`due` from the moment that its form's pace has a place for it.
"""

from typing import Final, Literal, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.changes import ResourceChanged, SubmissionsDue
from svc.domain.forms.forms import Form
from svc.domain.forms.limits import (
    PACE_FILINGS_MAX,
    PACE_WINDOW_MS,
    QUEUE_SUBMISSIONS_MAX,
    QUEUE_WINDOW_MS,
    SENDER_WINDOW_MS,
)
from svc.domain.identity.organizations import Organization
from svc.domain.ids import first_id
from svc.domain.locale.times import DAY_MS
from svc.domain.scalars import Scalar
from svc.domain.sites.limits import VISITOR_KEY_DAYS
from svc.storage.forms import forms as form_rows
from svc.storage.forms import server_keys, tables
from svc.storage.identity import organizations
from svc.storage.rows import Rows
from svc.storage.sites import sites
from svc.storage.statements import Statement
from svc.storage.store import Tx

State = Literal["due", "queued", "filed", "held"]
Label = Literal["Filed", "Held", "Queued"]

ERASED: Final = "erased"
"""The state of what a person sent who was erased: the row is counted, and shown nowhere."""
DISCARDED: Final = "discarded"
"""The state of what somebody has thrown away: neither filed nor counted, and shown where that is asked."""
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


_SUBMISSIONS: Final = Rows(
    tables.submissions,
    NewSubmission,
    nulls=["visitors"],
    defaulted=["queued", "spam"],
    beside=["id", "state", "received_at", "queued_at", "paced_at", "held_reason"],
)


def create(tx: Tx, new: NewSubmission) -> str:
    """Store a submission and return its id; it is due, and announced as such, or queued."""
    submission_id = tx.new_id("sub")
    _SUBMISSIONS.insert(
        tx.conn,
        new,
        id=submission_id,
        state="queued" if new.queued else "due",
        received_at=tx.now,
        queued_at=tx.now if new.queued else None,
        paced_at=None if new.queued else tx.now,
        held_reason="spam" if new.spam else None,
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
    """How many submissions of a form are queued, and since when."""

    waiting: int
    since: int | None


class _Recent(NamedTuple):
    """A submission, for the windows that count it."""

    sender: str
    received_at: int
    queued_at: int | None


_WAITING = Statement(
    sa.select(
        sa.func.count().label("waiting"),
        sa.func.min(tables.submissions.c.queued_at).label("since"),
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
        tables.submissions.c.paced_at.is_not(None),
        tables.submissions.c.restored_at.is_(None),
    )
    .order_by(tables.submissions.c.id.desc())
    .limit(PACE_FILINGS_MAX),
    int,
)
_RESTORED = Statement(
    sa.select(tables.submissions.c.paced_at).where(
        tables.submissions.c.form_id == sa.bindparam("form_id"),
        tables.submissions.c.restored_at.is_not(None),
        tables.submissions.c.paced_at > sa.bindparam("since"),
    ),
    int,
)


def snapshot(conn: sa.Connection, form_key: str, now: int) -> FormSnapshot:
    """The standing of the form with the public key at *now*. Raises `NotFound`."""
    form = form_rows.by_key(conn, form_key)
    waiting, since = _WAITING.all(conn, form_id=form.id)[0]
    recent = _RECENT.all(conn, form_id=form.id, since=first_id("sub", now - QUEUE_WINDOW_MS))
    # The pace is kept in the order of arrival, so the newest ones that have a place in it are the last paced.
    # Those that were restored came at the end of the queue, and have an index of their own.
    last = _LAST.all(conn, form_id=form.id)
    restored = _RESTORED.all(conn, form_id=form.id, since=now - PACE_WINDOW_MS)
    return FormSnapshot(
        form=form,
        organization=organizations.get(conn, form.organization_id),
        tracked=sites.any_tracked(conn, form.organization_id),
        server_keys=server_keys.live(conn, form.organization_id),
        sent=[(sender, at) for sender, at, _ in recent if at > now - SENDER_WINDOW_MS],
        paced=[at for at in (*restored, *last) if at > now - PACE_WINDOW_MS],
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
            # A restored one waits since then; all others wait in the order of their ids.
            .order_by(tables.submissions.c.queued_at, tables.submissions.c.id)
            .limit(sa.bindparam("room"))
        )
    )
    .values(state="due", paced_at=sa.bindparam("at"))
)


def release(tx: Tx, organization_id: str, form_id: str, room: int) -> int:
    """Make the oldest *room* of the form's queue due, and return how many that were."""
    released = _RELEASE.changed(tx.conn, of_form=form_id, room=room, at=tx.now)
    if released:
        tx.announce(ResourceChanged(organization_id, "submission", None))
        tx.announce(SubmissionsDue(organization_id))
    return released


def organizations_with_due(conn: sa.Connection) -> list[str]:
    """The organizations that have submissions to be filed."""
    due = sa.select(tables.submissions.c.organization_id).where(tables.submissions.c.state == tables.DUE)
    return list(conn.scalars(due.distinct()))


def forms_with_queue(conn: sa.Connection) -> list[str]:
    """The keys of the forms that have a queue."""
    queued = (
        sa.select(tables.forms.c.form_key)
        .join(tables.submissions, tables.submissions.c.form_id == tables.forms.c.id)
        .where(tables.submissions.c.state == tables.QUEUED)
    )
    return list(conn.scalars(queued.distinct()))


def forget_visitors(tx: Tx) -> None:
    """Clear the visitors of held and discarded submissions, once the key of their day is deleted.

    Names are beside them, which would identify the visitors of that day.
    """
    for state in (tables.HELD, tables.DISCARDED):
        tx.conn.execute(
            sa.update(tables.submissions)
            .where(
                tables.submissions.c.state == state,
                tables.submissions.c.received_at <= tx.now - VISITOR_KEY_DAYS * DAY_MS,
                tables.submissions.c.visitors.is_not(None),
            )
            .values(visitors=None)
        )
