"""Submissions as filing needs them, read back whole; one that cannot be read takes no other with it."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.domain.errors import Conflict, NotFound
from svc.domain.forms.filing import StoredSubmission
from svc.domain.input.near_names import shown
from svc.storage import readable
from svc.storage.forms import forms as form_rows
from svc.storage.forms import tables
from svc.storage.forms.submissions import LABELS
from svc.storage.rows import Selection
from svc.storage.sites import tables as sites_tables
from svc.storage.statements import Statement


class UnreadableSubmission(msgspec.Struct, frozen=True):
    """A submission of which something that is stored cannot be read."""

    id: str
    form_id: str


_submission: Final = tables.submissions.c
_STORED: Final = Selection(
    StoredSubmission, tables.submissions, members={"form": form_rows.FORMS}, nulls=["visitors"]
)
_UNREADABLE: Final = Selection(UnreadableSubmission, tables.submissions)
_JOINED = tables.submissions.join(tables.forms, tables.forms.c.id == _submission.form_id).outerjoin(
    sites_tables.sites, sites_tables.sites.c.id == tables.forms.c.site_id
)


def _oldest_due(select: sa.Select[Any]) -> sa.Select[Any]:
    """The oldest submissions of an organization that are due, so many at most."""
    return (
        select.where(
            _submission.organization_id == sa.bindparam("organization_id"), _submission.state == tables.DUE
        )
        .order_by(_submission.id)
        .limit(sa.bindparam("batch"))
    )


_ALL = _STORED.select().select_from(_JOINED)
_DUE = Statement(_oldest_due(_ALL))
_DUE_IDS = _UNREADABLE.prepared(_oldest_due(_UNREADABLE.select()))
_DUE_ROW = Statement(_ALL.where(_submission.id == sa.bindparam("submission_id")))


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
            found.readable.append(_STORED.make(row))
        except msgspec.DecodeError as error:
            readable.tell("submissions", row.id, error)
            found.unreadable.append(UnreadableSubmission(row.id, row.form_id))
    return found


def _due_rows(conn: sa.Connection, organization_id: str, batch: int) -> Iterator[Any]:
    """The rows of due submissions; where they cannot be fetched together, one by one.

    One that cannot be fetched even so is an `UnreadableSubmission`.
    """
    asked = {"organization_id": organization_id, "batch": batch}
    try:
        rows = _DUE.all(conn, asked)
    except Exception as error:
        if not readable.is_unreadable(error):
            raise
    else:
        yield from rows
        return
    for due in _DUE_IDS.all(conn, asked):
        try:
            yield from _DUE_ROW.all(conn, submission_id=due.id)
        except Exception as error:
            if not readable.is_unreadable(error):
                raise
            readable.tell("submissions", due.id, error)
            yield due


class HeldSubmission(msgspec.Struct, frozen=True):
    """A submission that waits for a person, and the contacts it may be from."""

    submission: StoredSubmission
    candidates: tuple[str, ...]


_HELD: Final = Selection(
    HeldSubmission, tables.submissions, members={"submission": _STORED}, nulls=["candidates"]
)


def held(conn: sa.Connection, organization_id: str, submission_id: str) -> HeldSubmission:
    """A held submission. Raises `NotFound`, and `Conflict` for one that is not held or cannot be read."""
    row = conn.execute(
        _HELD.select(_submission.id == submission_id, _submission.organization_id == organization_id)
        .add_columns(_submission.state)
        .select_from(_JOINED)
    ).one_or_none()
    if row is None:
        raise NotFound(f"there is no submission {shown(submission_id)}")
    if row.state != "held":
        raise Conflict(f"the submission is not Held, it is {LABELS.get(row.state, row.state)}")
    try:
        return _HELD.make(row)
    except msgspec.DecodeError as error:
        raise Conflict("what is stored of the submission cannot be read") from error
