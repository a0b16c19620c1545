"""Counts of an organization's submissions that stop at a bound: they cost the same however many there are."""

from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.ids import first_id
from svc.domain.locale.local_days import LocalDay
from svc.storage.forms import tables
from svc.storage.forms.submission_lists import form_ids_of
from svc.storage.sql import json_values
from svc.storage.statements import Statement


class WaitingSubmissions(NamedTuple):
    """Submissions in a state, counted up to a bound; and when the first of them was received or queued."""

    many: int
    since: int | None


_submission: Final = tables.submissions.c
_OWN_FORMS: Final = json_values.is_item(_submission.form_id, sa.bindparam("form_ids", type_=sa.Text()))


def _counted(*conditions: sa.ColumnElement[bool]) -> Statement[int]:
    """Counts submissions of the forms for which *conditions* hold, up to `most`."""
    some: sa.Select[Any] = (
        sa.select(sa.literal_column("1"))
        .select_from(tables.submissions)
        .where(_OWN_FORMS, *conditions)
        .limit(sa.bindparam("most", type_=sa.Integer))
    )
    return Statement(sa.select(sa.func.count()).select_from(some.subquery()), int)


def _first(state: sa.ColumnElement[Any]) -> Statement[str]:
    """The first submission in *state* of each of an organization's forms that has one."""
    of_form = (
        sa.select(_submission.id)
        .where(_submission.form_id == tables.forms.c.id, _submission.state == state)
        .order_by(_submission.id)
        .limit(1)
        .scalar_subquery()
    )
    firsts = sa.select(of_form.label("id")).where(
        tables.forms.c.organization_id == sa.bindparam("organization_id")
    )
    found = firsts.subquery()
    return Statement(sa.select(found.c.id).where(found.c.id.is_not(None)), str)


_ON_DAY: Final = (_submission.id >= sa.bindparam("first"), _submission.id < sa.bindparam("next"))
_CAME: Final = _counted(*_ON_DAY)
_ANY: Final = _counted()
_CAME_DISCARDED: Final = _counted(_submission.state == tables.DISCARDED, *_ON_DAY)
_IN_STATE: Final = {
    "Held": (_counted(_submission.state == tables.HELD), _first(tables.HELD)),
    "Queued": (_counted(_submission.state == tables.QUEUED), _first(tables.QUEUED)),
}
_SINCE: Final = Statement(
    sa.select(sa.func.coalesce(_submission.queued_at, _submission.received_at)).where(
        _submission.id == sa.bindparam("id")
    ),
    int,
)


def by_day(conn: sa.Connection, organization_id: str, days: Sequence[LocalDay], most: int) -> Sequence[int]:
    """How many came on each of *days*, without those that are discarded; of each day *most* are counted."""
    form_ids = _encoded_form_ids(conn, organization_id)
    counted = []
    for day in days:
        range_ = {
            "form_ids": form_ids,
            "first": first_id("sub", day.begins_at),
            "next": first_id("sub", day.ends_at),
        }
        # What is discarded is an index of its own, so nothing but indexes is read for either.
        discarded = _CAME_DISCARDED.one(conn, {**range_, "most": most}) or 0
        came = _CAME.one(conn, {**range_, "most": most + discarded}) or 0
        counted.append(came - discarded)
    return counted


def waiting(
    conn: sa.Connection, organization_id: str, state: Literal["Held", "Queued"], most: int
) -> WaitingSubmissions:
    """The submissions in *state*, counted up to *most*."""
    count, first = _IN_STATE[state]
    many = count.one(conn, form_ids=_encoded_form_ids(conn, organization_id), most=most) or 0
    ids = first.all(conn, organization_id=organization_id)
    since = _SINCE.one(conn, id=min(ids)) if ids else None
    return WaitingSubmissions(many, since)


def is_any(conn: sa.Connection, organization_id: str) -> bool:
    """Whether any submission came, whatever became of it."""
    form_ids = _encoded_form_ids(conn, organization_id)
    return _ANY.one(conn, form_ids=form_ids, most=1) == 1


def _encoded_form_ids(conn: sa.Connection, organization_id: str) -> str:
    return msgspec.json.encode(sorted(form_ids_of(conn, organization_id, None))).decode()
