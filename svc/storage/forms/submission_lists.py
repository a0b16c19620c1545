"""Lists of submissions, the newest first, and the details of one.

A list is put together from those of the organization's forms. So each is a search in an index that filing
needs anyway, and taking a submission costs nothing for the sake of lists.
"""

from typing import Any, Final, Literal

import msgspec
import sqlalchemy as sa

from svc.domain.cursors import Position
from svc.domain.errors import Fault, InvalidInput, NotFound
from svc.domain.ids import last_id
from svc.domain.limits import LIST_ROWS
from svc.domain.near_names import shown
from svc.domain.records.matching import HeldReason
from svc.domain.scalars import Scalar
from svc.storage.forms import tables
from svc.storage.forms.submission_selection import Search, Selection
from svc.storage.forms.submissions import ERASED, LABELS, Label
from svc.storage.pages import Keyset, Total, total_of
from svc.storage.readable import LenientDecoder
from svc.storage.records import contacts
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


class SubmissionDetails(SubmissionSummary, frozen=True, kw_only=True):
    """A submission with all that is known of it."""

    fields: dict[str, Scalar]
    candidates: list[str]
    """Ids of the contacts that it may be from: those that are still there, a merged one as its survivor."""
    visits: list[Visit]
    """The page views that led to it."""


class SubmissionPage(msgspec.Struct, frozen=True):
    """Submissions, the newest first, and where the next page begins, if there is one."""

    submissions: list[SubmissionSummary]
    next_cursor: str | None
    total: Total | None
    """How many submissions the list has, if that was asked."""
    unindexed: bool
    """Whether a search looked through so many submissions that it had been quicker with another block."""


_fields: Final = LenientDecoder(msgspec.json.Decoder(dict[str, Scalar]), dict, tables.submissions.c.fields)
_candidates: Final = LenientDecoder(msgspec.json.Decoder(list[str]), list, tables.submissions.c.candidates)
_visitors: Final = LenientDecoder(msgspec.json.Decoder(list[str]), list, tables.submissions.c.visitors)

_SUMMARY: Final = (
    tables.submissions.c.id,
    tables.submissions.c.form_id,
    tables.submissions.c.state,
    tables.submissions.c.received_at,
    tables.submissions.c.email,
    tables.submissions.c.phone,
    tables.submissions.c.name,
    tables.submissions.c.held_reason,
    tables.submissions.c.contact_id,
    tables.submissions.c.deal_id,
    tables.submissions.c.dropped,
    tables.submissions.c.filed_at,
    tables.submissions.c.filed_by,
)


def list_page(
    conn: sa.Connection,
    organization_id: str,
    *,
    form_id: str | None = None,
    label: Label | None = None,
    search: str | None = None,
    cursor: str | None = None,
    limit: int = LIST_ROWS,
    total: bool = False,
) -> SubmissionPage:
    """A page of submissions: of all forms or of one, removed ones too, and of any *label* or of one.

    With *search*, those that have it in their e-mail, phone or name, whatever the case of ASCII letters.

    Raises `NotFound` for no such form, and `InvalidInput` for the cursor of another list.
    """
    keyset = Keyset(["submissions", organization_id, form_id, label, search], cursor, limit)
    before = last_id("sub") if keyset.after is None else keyset.after.id
    form_ids = form_ids_of(conn, organization_id, form_id)
    if search is None:
        selection = Selection(conn, organization_id, form_ids, label)
    else:
        selection = Search(conn, organization_id, form_ids, label, search)
    page_ids, next_cursor = keyset.cut(selection.newest(before, limit + 1), lambda last: Position((), last))
    rows = conn.execute(
        sa.select(*_SUMMARY)
        .where(tables.submissions.c.id.in_(page_ids))
        .order_by(tables.submissions.c.id.desc())
    )
    counted = None
    if total:
        whole = keyset.after is None and next_cursor is None
        counted = total_of(len(page_ids)) if whole else selection.total()
    return SubmissionPage(
        [SubmissionSummary(**_facts(row)) for row in rows],
        next_cursor,
        counted,
        unindexed=selection.lacks_block(),
    )


def recent_fields(conn: sa.Connection, form_id: str, limit: int) -> list[dict[str, Scalar]]:
    """What was sent in the latest *limit* submissions of a form, the newest first."""
    column = tables.submissions.c
    rows = conn.execute(
        sa.select(column.id, column.fields)
        .where(column.form_id == form_id)
        .order_by(column.id.desc())
        .limit(limit)
    )
    return [_fields.read(fields, id_) for id_, fields in rows.tuples()]


def get(conn: sa.Connection, organization_id: str, submission_id: str) -> SubmissionDetails:
    """The submission. Raises `NotFound`."""
    row = conn.execute(
        sa.select(
            *_SUMMARY,
            tables.submissions.c.fields,
            tables.submissions.c.candidates,
            tables.submissions.c.visitors,
        ).where(
            tables.submissions.c.id == submission_id,
            tables.submissions.c.organization_id == organization_id,
            tables.submissions.c.state != ERASED,
        )
    ).one_or_none()
    if row is None:
        raise NotFound(f"there is no submission {shown(submission_id)}")
    candidates = _candidates.read(row.candidates, row.id)
    survivors = contacts.survivors(conn, organization_id, candidates)
    return SubmissionDetails(
        **_facts(row)
        | {
            "fields": _fields.read(row.fields, row.id),
            "candidates": list(dict.fromkeys(survivors.values())),
            "visits": visits.before(
                conn,
                organization_id,
                row.received_at,
                contact_id=row.contact_id,
                visitors=_visitors.read(row.visitors, row.id),
            ),
        }
    )


def form_ids_of(conn: sa.Connection, organization_id: str, form_id: str | None) -> set[str]:
    """Ids of the organization's forms, removed ones included, or of that one. Raises `InvalidInput`."""
    theirs = sa.select(tables.forms.c.id).where(tables.forms.c.organization_id == organization_id)
    found = set(conn.scalars(theirs if form_id is None else theirs.where(tables.forms.c.id == form_id)))
    if form_id is not None and not found:
        raise InvalidInput([Fault("/formId", "not_found", f"there is no form {shown(form_id)}")])
    return found


def _facts(row: sa.Row[Any]) -> dict[str, Any]:
    """The fields of a summary, of a row of `_SUMMARY`."""
    facts = {column.name: getattr(row, column.name) for column in _SUMMARY}
    state: Literal["due", "queued", "filed", "held"] = facts.pop("state")
    # A spam mark on what has not been filed yet is no reason that anything is held.
    return facts | {
        "label": LABELS[state],
        "held_reason": row.held_reason if state in {"held", "filed"} else None,
    }
