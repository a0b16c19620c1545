"""Submissions as filing needs them, read back whole; one that cannot be read takes no other with it."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.domain.errors import Conflict, NotFound
from svc.domain.forms.filing import StoredSubmission
from svc.domain.near_names import shown
from svc.domain.scalars import Scalar
from svc.storage import readable
from svc.storage.forms import forms as form_rows
from svc.storage.forms import tables
from svc.storage.forms.submissions import LABELS
from svc.storage.sites import tables as sites_tables
from svc.storage.statements import Statement

_COLUMNS: Final = (
    tables.submissions.c.id,
    tables.submissions.c.received_at,
    tables.submissions.c.email,
    tables.submissions.c.phone,
    tables.submissions.c.name,
    tables.submissions.c.fields,
    tables.submissions.c.recognised,
    tables.submissions.c.mapped,
    tables.submissions.c.dropped,
    tables.submissions.c.held_reason,
    tables.submissions.c.visitors,
)
"""What `_stored` reads, followed by the columns of the form."""

_JOINED = tables.submissions.join(tables.forms, tables.forms.c.id == tables.submissions.c.form_id).outerjoin(
    sites_tables.sites, sites_tables.sites.c.id == tables.forms.c.site_id
)
_DUE = Statement(
    sa.select(*_COLUMNS, *form_rows.COLUMNS)
    .select_from(_JOINED)
    .where(
        tables.submissions.c.organization_id == sa.bindparam("organization_id"),
        tables.submissions.c.state == tables.DUE,
    )
    .order_by(tables.submissions.c.id)
    .limit(sa.bindparam("batch"))
)

_DUE_IDS = Statement(
    sa.select(tables.submissions.c.id, tables.submissions.c.form_id)
    .where(
        tables.submissions.c.organization_id == sa.bindparam("organization_id"),
        tables.submissions.c.state == tables.DUE,
    )
    .order_by(tables.submissions.c.id)
    .limit(sa.bindparam("batch"))
)
_DUE_ROW = Statement(
    sa.select(*_COLUMNS, *form_rows.COLUMNS)
    .select_from(_JOINED)
    .where(tables.submissions.c.id == sa.bindparam("submission_id"))
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
    for one in _due_rows(conn, organization_id, batch):
        if isinstance(one, UnreadableSubmission):
            found.unreadable.append(one)
            continue
        try:
            found.readable.append(_stored(tuple(one)))
        except msgspec.DecodeError as error:
            readable.tell("submissions", one.id, error)
            found.unreadable.append(UnreadableSubmission(one.id, one[len(_COLUMNS)]))
    return found


def _due_rows(conn: sa.Connection, organization_id: str, batch: int) -> Iterator[Any]:
    """Rows of `_DUE`; where they cannot be fetched together, one by one."""
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
            yield _DUE_ROW.one(conn, submission_id=due_id)
        except Exception as error:
            if not readable.is_unreadable(error):
                raise
            readable.tell("submissions", due_id, error)
            yield UnreadableSubmission(due_id, form_id)


def _stored(row: tuple[Any, ...]) -> StoredSubmission:
    (
        submission_id,
        received_at,
        email,
        phone,
        name,
        fields,
        recognised,
        mapped,
        dropped,
        held_reason,
        visitors,
    ) = row[: len(_COLUMNS)]
    return StoredSubmission(
        id=submission_id,
        form=form_rows.from_row(row[len(_COLUMNS) :]),
        received_at=received_at,
        email=email,
        phone=phone,
        name=name,
        fields=_decode_fields(fields),
        recognised=_decode_names(recognised),
        mapped=_decode_mapped(mapped),
        dropped=dropped,
        held_reason=held_reason,
        visitors=_decode_names(visitors) if visitors else (),
    )


class HeldSubmission(msgspec.Struct, frozen=True):
    """A submission that waits for a person, and the contacts it may be from."""

    submission: StoredSubmission
    candidates: tuple[str, ...]


def held(conn: sa.Connection, organization_id: str, submission_id: str) -> HeldSubmission:
    """A held submission. Raises `NotFound`, and `Conflict` for one that is not held or cannot be read."""
    row = conn.execute(
        sa.select(*_COLUMNS, *form_rows.COLUMNS, tables.submissions.c.candidates, tables.submissions.c.state)
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
        return HeldSubmission(_stored(tuple(stored)), _decode_names(candidates or "[]"))
    except msgspec.DecodeError as error:
        raise Conflict("what is stored of the submission cannot be read") from error
