"""Lists of submissions, the newest first, and the details of one.

A list is put together from those of the organization's forms. So each is a search in an index that filing
needs anyway, and taking a submission costs nothing for the sake of lists.
"""

from heapq import nlargest
from typing import Any, Final, Literal, NamedTuple

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
from svc.storage.forms.submissions import ERASED, LABELS, Label
from svc.storage.pages import Keyset, Total, count_to_total, total_of
from svc.storage.readable import LenientDecoder
from svc.storage.records import contacts
from svc.storage.sites import visits
from svc.storage.sites.visits import Visit
from svc.storage.statements import Statement


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


class _Id(NamedTuple):
    """The ids of a submission and of its form."""

    id: str
    form_id: str


def _newest(*conditions: sa.ColumnElement[bool]) -> Statement[_Id]:
    """Selects the ids of a form's newest submissions before one, of those for which *conditions* hold."""
    return Statement(
        sa.select(tables.submissions.c.id, tables.submissions.c.form_id)
        .where(
            tables.submissions.c.form_id == sa.bindparam("form_id"),
            tables.submissions.c.id < sa.bindparam("before"),
            *conditions,
        )
        .order_by(tables.submissions.c.id.desc())
        .limit(sa.bindparam("most")),
        _Id,
    )


def _due(*conditions: sa.ColumnElement[bool]) -> Statement[_Id]:
    """Selects the ids of an organization's submissions that are due, before one."""
    return Statement(
        sa.select(tables.submissions.c.id, tables.submissions.c.form_id)
        .where(
            tables.submissions.c.organization_id == sa.bindparam("organization_id"),
            tables.submissions.c.state == tables.DUE,
            tables.submissions.c.id < sa.bindparam("before"),
            *conditions,
        )
        .order_by(tables.submissions.c.id.desc()),
        _Id,
    )


_STATES: Final[dict[Label | None, tuple[sa.ColumnElement[bool], ...]]] = {
    None: (tables.submissions.c.state != ERASED,),
    "Filed": (tables.submissions.c.state == "filed",),
    "Held": (tables.submissions.c.state == tables.HELD,),
    "Queued": (tables.submissions.c.state == tables.QUEUED,),
}
_FOUND: Final = sa.or_(
    *(
        column.ilike(sa.bindparam("search"), escape="\\")
        for column in (tables.submissions.c.email, tables.submissions.c.phone, tables.submissions.c.name)
    )
)
_NEWEST: Final = {label: _newest(*states) for label, states in _STATES.items()}
_SEARCHED: Final = {label: _newest(*states, _FOUND) for label, states in _STATES.items()}
_DUE: Final = _due()
_DUE_SEARCHED: Final = _due(_FOUND)


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
    newest = {"before": before, "most": limit + 1}
    selected, due_selected = _NEWEST[label], _DUE
    if search is not None:
        newest["search"] = _pattern(search)
        selected, due_selected = _SEARCHED[label], _DUE_SEARCHED
    ids = [row.id for one in form_ids for row in selected.all(conn, {"form_id": one} | newest)]
    if label == "Queued":
        own = {"organization_id": organization_id, "before": before}
        due = due_selected.all(conn, own | {name: newest[name] for name in ("search",) if name in newest})
        ids += [row.id for row in due if row.form_id in form_ids]
    page_ids, next_cursor = keyset.cut(nlargest(limit + 1, ids), lambda last: Position((), last))
    rows = conn.execute(
        sa.select(*_SUMMARY)
        .where(tables.submissions.c.id.in_(page_ids))
        .order_by(tables.submissions.c.id.desc())
    )
    counted = _total(conn, organization_id, form_ids, label, search) if total else None
    return SubmissionPage([SubmissionSummary(**_facts(row)) for row in rows], next_cursor, counted)


def _total(
    conn: sa.Connection, organization_id: str, form_ids: set[str], label: Label | None, search: str | None
) -> Total:
    """How many submissions a list has."""
    column = tables.submissions.c
    found = [] if search is None else [_FOUND.params(search=_pattern(search))]
    of_forms = sa.select(column.id).where(column.form_id.in_(form_ids))
    parts = [of_forms.where(*_STATES[label], *found)]
    if label == "Queued":
        own = column.organization_id == organization_id
        parts.append(of_forms.where(own, column.state == tables.DUE, *found))
    return total_of(sum(count_to_total(conn, part) for part in parts))


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


def _pattern(search: str) -> str:
    """The pattern of texts that contain *search*."""
    return "%" + "".join(f"\\{char}" if char in "%_\\" else char for char in search.strip()) + "%"


def _facts(row: sa.Row[Any]) -> dict[str, Any]:
    """The fields of a summary, of a row of `_SUMMARY`."""
    facts = {column.name: getattr(row, column.name) for column in _SUMMARY}
    state: Literal["due", "queued", "filed", "held"] = facts.pop("state")
    # A spam mark on what has not been filed yet is no reason that anything is held.
    return facts | {
        "label": LABELS[state],
        "held_reason": row.held_reason if state in {"held", "filed"} else None,
    }
