"""Submissions as filing needs them, read back whole; one that cannot be read takes no other with it."""

from collections.abc import Iterator
from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.errors import Conflict, NotFound
from svc.domain.forms.filing import StoredSubmission
from svc.domain.forms.forms import FormStatus
from svc.domain.near_names import shown
from svc.domain.records.matching import HeldReason
from svc.domain.scalars import Scalar
from svc.storage import readable
from svc.storage.forms import forms as form_rows
from svc.storage.forms import tables
from svc.storage.forms.forms import FormRow
from svc.storage.forms.submissions import LABELS
from svc.storage.sites import tables as sites_tables
from svc.storage.statements import Statement


class _Row(NamedTuple):
    """A submission's row, with the row of its form."""

    id: str
    received_at: int
    email: str | None
    phone: str | None
    name: str | None
    fields: str
    recognised: str
    mapped: str
    dropped: int
    held_reason: HeldReason | None
    visitors: str | None
    of_id: str
    of_organization_id: str
    of_name: str
    of_form_key: str
    of_status: FormStatus
    of_domain: str | None
    of_field_map: str
    of_deal_title: str | None
    of_honeypot: str | None


class _DueId(NamedTuple):
    """The ids of a submission and of its form."""

    id: str
    form_id: str


_COLUMNS: Final = (
    *(tables.submissions.c[name] for name in _Row._fields if not name.startswith("of_")),
    *(column.label(f"of_{column.name}") for column in form_rows.COLUMNS),
)
_JOINED = tables.submissions.join(tables.forms, tables.forms.c.id == tables.submissions.c.form_id).outerjoin(
    sites_tables.sites, sites_tables.sites.c.id == tables.forms.c.site_id
)
_DUE = Statement(
    sa.select(*_COLUMNS)
    .select_from(_JOINED)
    .where(
        tables.submissions.c.organization_id == sa.bindparam("organization_id"),
        tables.submissions.c.state == tables.DUE,
    )
    .order_by(tables.submissions.c.id)
    .limit(sa.bindparam("batch")),
    _Row,
)

_DUE_IDS = Statement(
    sa.select(tables.submissions.c.id, tables.submissions.c.form_id)
    .where(
        tables.submissions.c.organization_id == sa.bindparam("organization_id"),
        tables.submissions.c.state == tables.DUE,
    )
    .order_by(tables.submissions.c.id)
    .limit(sa.bindparam("batch")),
    _DueId,
)
_DUE_ROW = Statement(
    sa.select(*_COLUMNS).select_from(_JOINED).where(tables.submissions.c.id == sa.bindparam("submission_id")),
    _Row,
)

_decode_fields = msgspec.json.Decoder(dict[str, Scalar]).decode
_decode_names = msgspec.json.Decoder(tuple[str, ...]).decode
_decode_mapped = msgspec.json.Decoder(dict[str, str]).decode


class UnreadableSubmission(msgspec.Struct, frozen=True):
    """A submission of which something that is stored cannot be read."""

    id: str
    form_id: str


class DueSubmissions(msgspec.Struct, frozen=True):
    """Submissions to be filed, in the order of arrival."""

    readable: list[StoredSubmission]
    unreadable: list[UnreadableSubmission]

    def __len__(self) -> int:
        return len(self.readable) + len(self.unreadable)


def due(conn: sa.Connection, organization_id: str, batch: int) -> DueSubmissions:
    """The organization's oldest due submissions, at most *batch*."""
    found = DueSubmissions([], [])
    for row in _due_rows(conn, organization_id, batch):
        if isinstance(row, UnreadableSubmission):
            found.unreadable.append(row)
            continue
        try:
            found.readable.append(_stored(row))
        except msgspec.DecodeError as error:
            readable.tell("submissions", row.id, error)
            found.unreadable.append(UnreadableSubmission(row.id, row.of_id))
    return found


def _due_rows(conn: sa.Connection, organization_id: str, batch: int) -> Iterator[_Row | UnreadableSubmission]:
    """The rows of due submissions; where they cannot be fetched together, one by one."""
    asked = {"organization_id": organization_id, "batch": batch}
    try:
        rows = _DUE.all(conn, asked)
    except Exception as error:
        if not readable.is_unreadable(error):
            raise
    else:
        yield from rows
        return
    for due_id, form_id in _DUE_IDS.all(conn, asked):
        try:
            yield from _DUE_ROW.all(conn, submission_id=due_id)
        except Exception as error:
            if not readable.is_unreadable(error):
                raise
            readable.tell("submissions", due_id, error)
            yield UnreadableSubmission(due_id, form_id)


def _stored(row: _Row) -> StoredSubmission:
    return StoredSubmission(
        id=row.id,
        form=form_rows.from_row(FormRow._make(row[-len(FormRow._fields) :])),
        received_at=row.received_at,
        email=row.email,
        phone=row.phone,
        name=row.name,
        fields=_decode_fields(row.fields),
        recognised=_decode_names(row.recognised),
        mapped=_decode_mapped(row.mapped),
        dropped=row.dropped,
        held_reason=row.held_reason,
        visitors=_decode_names(row.visitors) if row.visitors else (),
    )


class HeldSubmission(msgspec.Struct, frozen=True):
    """A submission that waits for a person, and the contacts it may be from."""

    submission: StoredSubmission
    candidates: tuple[str, ...]


def held(conn: sa.Connection, organization_id: str, submission_id: str) -> HeldSubmission:
    """A held submission. Raises `NotFound`, and `Conflict` for one that is not held or cannot be read."""
    row = conn.execute(
        sa.select(*_COLUMNS, tables.submissions.c.candidates, tables.submissions.c.state)
        .select_from(_JOINED)
        .where(
            tables.submissions.c.id == submission_id, tables.submissions.c.organization_id == organization_id
        )
    ).one_or_none()
    if row is None:
        raise NotFound(f"there is no submission {shown(submission_id)}")
    *stored, candidates, state = row
    if state != "held":
        raise Conflict(f"the submission is not Held, it is {LABELS[state]}")
    try:
        return HeldSubmission(_stored(_Row._make(stored)), _decode_names(candidates or "[]"))
    except msgspec.DecodeError as error:
        raise Conflict("what is stored of the submission cannot be read") from error
