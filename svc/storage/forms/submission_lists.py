"""Lists of submissions, the newest first, and the details of one.

A list is put together from those of the organization's forms. So each is a search in an index that filing
needs anyway, and taking a submission costs nothing for the sake of lists.
"""

from typing import Final

import msgspec
import sqlalchemy as sa

from svc.domain.cursors import Position
from svc.domain.errors import Fault, InvalidInput, NotFound
from svc.domain.ids import last_id
from svc.domain.input.near_names import shown
from svc.domain.limits import LIST_ROWS
from svc.domain.records.matching import HeldReason
from svc.domain.scalars import Scalar
from svc.storage.forms import tables
from svc.storage.forms.submission_selection import Kind, SubmissionSearch, SubmissionSelection
from svc.storage.forms.submissions import DISCARDED, ERASED, LABELS, Label
from svc.storage.pages import Keyset, Total, total_of
from svc.storage.readable import LenientDecoder
from svc.storage.records import contacts, notes
from svc.storage.rows import Selection
from svc.storage.sites import visits
from svc.storage.sites.visits import Visit


class SubmissionSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a list of submissions. Times are ms since the epoch."""

    id: str
    form_id: str
    label: Label
    received_at: int
    email: str | None
    phone: str | None
    name: str | None
    held_reason: HeldReason | None
    """Why it is held, or was."""
    contact_id: str | None
    deal_id: str | None
    dropped: int
    filed_at: int | None
    filed_by: str | None
    """The person who attached it; None for an automatic filing."""
    discarded_at: int | None
    discarded_by: str | None
    fields: dict[str, Scalar]


class SubmissionDetails(SubmissionSummary, frozen=True, kw_only=True):
    """A submission with all that is known of it."""

    candidates: list[str]
    """Ids of the contacts that it may be from: those that are still there, a merged one as its survivor."""
    visitors: list[str]
    """Names in `visits` that the sender had, until it was filed."""
    visits: list[Visit] = []
    """The page views that led to it."""
    note_id: str | None = None
    """The note on its contact that has its fields."""


class SubmissionPage(msgspec.Struct, frozen=True):
    """Submissions, the newest first, and where the next page begins, if there is one."""

    submissions: list[SubmissionSummary]
    next_cursor: str | None
    total: Total | None
    """How many submissions the list has, if that was asked."""
    unindexed: bool
    """Whether a search looked through so many submissions that it had been quicker with another block."""


_column: Final = tables.submissions.c
_fields: Final = LenientDecoder(msgspec.json.Decoder(dict[str, Scalar]), dict, _column.fields)
_STATE: Final = sa.func.coalesce(_column.discarded_from, _column.state)
"""The state; of a discarded one, the state that it had."""
SHOWN: Final = {
    "label": sa.case(LABELS, value=_STATE),
    # A spam mark on what has not been filed yet is no reason that anything is held.
    "held_reason": sa.case((_STATE.in_(["held", "filed"]), _column.held_reason)),
}
_SUMMARY: Final = Selection(SubmissionSummary, tables.submissions, members=SHOWN, empty={"fields": dict})
_PAGE = _SUMMARY.prepared(
    _SUMMARY.select(_column.id.in_(sa.bindparam("ids", expanding=True))).order_by(_column.id.desc())
)
_DETAILS: Final = Selection(
    SubmissionDetails,
    tables.submissions,
    members=SHOWN,
    empty={"fields": dict, "candidates": list, "visitors": list},
    defaulted=["visits", "note_id"],
)
_GET = _DETAILS.prepared(
    _DETAILS.select(
        _column.id == sa.bindparam("submission_id"),
        _column.organization_id == sa.bindparam("organization_id"),
        _column.state != ERASED,
    )
)


def list_page(
    conn: sa.Connection,
    organization_id: str,
    *,
    form_id: str | None = None,
    label: Label | None = None,
    search: str | None = None,
    discarded: bool = False,
    cursor: str | None = None,
    limit: int = LIST_ROWS,
    total: bool = False,
) -> SubmissionPage:
    """A page of submissions: of all forms or of one, removed ones too, and of any *label* or of one.

    Of those that were *discarded*, or else of all others.
    With *search*, those that have it in their e-mail, phone or name, whatever the case of ASCII letters.

    Raises `NotFound` for no such form, and `InvalidInput` for the cursor of another list.
    """
    of_list = ["submissions", organization_id, form_id, label, search]
    keyset = Keyset([*of_list, DISCARDED] if discarded else of_list, cursor, limit)
    before = last_id("sub") if keyset.after is None else keyset.after.id
    form_ids = form_ids_of(conn, organization_id, form_id)
    kind = Kind(label, discarded)
    if search is None:
        selection = SubmissionSelection(conn, organization_id, form_ids, kind)
    else:
        selection = SubmissionSearch(conn, organization_id, form_ids, kind, search)
    page_ids, next_cursor = keyset.cut(selection.newest(before, limit + 1), lambda last: Position((), last))
    counted = None
    if total:
        whole = keyset.after is None and next_cursor is None
        counted = total_of(len(page_ids)) if whole else selection.total()
    return SubmissionPage(
        _PAGE.all(conn, ids=page_ids),
        next_cursor,
        counted,
        unindexed=selection.lacks_block(),
    )


def recent_fields(conn: sa.Connection, form_id: str, limit: int) -> list[dict[str, Scalar]]:
    """What was sent in the latest *limit* submissions of a form, the newest first, without discarded ones."""
    rows = conn.execute(
        sa.select(_column.id, _column.fields)
        .where(_column.form_id == form_id, _column.state != DISCARDED)
        .order_by(_column.id.desc())
        .limit(limit)
    )
    return [_fields.read(fields, id_) for id_, fields in rows.tuples()]


def get(conn: sa.Connection, organization_id: str, submission_id: str) -> SubmissionDetails:
    """The submission. Raises `NotFound`."""
    found = _GET.one(conn, submission_id=submission_id, organization_id=organization_id)
    if found is None:
        raise NotFound(f"there is no submission {shown(submission_id)}")
    survivors = contacts.survivors(conn, organization_id, found.candidates)
    viewed = visits.before(
        conn,
        organization_id,
        found.received_at,
        contact_id=found.contact_id,
        visitors=found.visitors,
    )
    return msgspec.structs.replace(
        found,
        candidates=list(dict.fromkeys(survivors.values())),
        visits=viewed,
        note_id=notes.of_submission(conn, found.contact_id, found.id),
    )


def form_ids_of(conn: sa.Connection, organization_id: str, form_id: str | None) -> set[str]:
    """Ids of the organization's forms, removed ones included, or of that one. Raises `InvalidInput`."""
    theirs = sa.select(tables.forms.c.id).where(tables.forms.c.organization_id == organization_id)
    found = set(conn.scalars(theirs if form_id is None else theirs.where(tables.forms.c.id == form_id)))
    if form_id is not None and not found:
        raise InvalidInput([Fault("/formId", "not_found", f"there is no form {shown(form_id)}")])
    return found
