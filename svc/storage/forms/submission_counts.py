"""Counts of submissions: by form and day, and of those that wait. All are read from indexes alone."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec
import sqlalchemy as sa

from svc.domain.ids import first_id
from svc.domain.locale.local_days import LocalDay
from svc.storage.forms import tables
from svc.storage.forms.submission_lists import form_ids_of


class FormCounts(msgspec.Struct, frozen=True, kw_only=True):
    """The submissions of one form."""

    form_id: str
    by_day: tuple[int, ...]
    """Those that came on each of the days that were asked for."""
    held: int
    """Those that are held now, whenever they came."""
    queued: int
    """Those that wait to be filed."""


def count(
    conn: sa.Connection, organization_id: str, days: Sequence[LocalDay], *, form_id: str | None = None
) -> list[FormCounts]:
    """Count by form, removed forms included; a form that has none is counted too. Discarded ones are not.

    A submission came when its id was made, which is never earlier than it was received, and only later where
    the machine's clock was set back. Raises `InvalidInput` for no such form.
    """
    form_ids = sorted(form_ids_of(conn, organization_id, form_id))
    came = _by_day(conn, form_ids, days)
    came.subtract(_by_day(conn, form_ids, days, tables.submissions.c.state == tables.DISCARDED))
    held = _waiting(conn, form_ids, tables.HELD)
    queued = _waiting(conn, form_ids, tables.QUEUED)
    queued.update(_due(conn, organization_id))
    return [
        FormCounts(
            form_id=one,
            by_day=tuple(came[one, place] for place in range(len(days))),
            held=held[one],
            queued=queued[one],
        )
        for one in form_ids
    ]


def _by_day(
    conn: sa.Connection,
    form_ids: Sequence[str],
    days: Sequence[LocalDay],
    *conditions: sa.ColumnElement[bool],
) -> Counter[tuple[str, int]]:
    """The submissions of each form on each day, by the place of the day: a range of an index for each.

    Of those alone for which *conditions* hold, where there are any.
    """
    column = tables.submissions.c
    ranges = sa.union_all(
        *(
            sa.select(
                sa.literal(place, sa.Integer).label("place"),
                sa.literal(first_id("sub", day.begins_at), sa.Text).label("first"),
                sa.literal(first_id("sub", day.ends_at), sa.Text).label("next"),
            )
            for place, day in enumerate(days)
        )
    ).subquery("days")
    own = sa.select(tables.forms.c.id).where(tables.forms.c.id.in_(form_ids)).subquery("own")
    within = sa.and_(column.form_id == own.c.id, column.id >= ranges.c.first, column.id < ranges.c.next)
    counted = (
        sa.select(column.form_id, ranges.c.place, sa.func.count())
        .select_from(ranges.join(own, sa.true()).join(tables.submissions, within))
        .where(*conditions)
        .group_by(column.form_id, ranges.c.place)
    )
    return Counter({(form_id, place): many for form_id, place, many in conn.execute(counted)})


def _waiting(conn: sa.Connection, form_ids: Sequence[str], state: sa.ColumnElement[Any]) -> Counter[str]:
    """The submissions of each form in *state*, which has a partial index."""
    column = tables.submissions.c
    counted = (
        sa.select(column.form_id, sa.func.count())
        .where(column.form_id.in_(form_ids), column.state == state)
        .group_by(column.form_id)
    )
    return Counter(dict(conn.execute(counted).tuples().all()))


def _due(conn: sa.Connection, organization_id: str) -> Counter[str]:
    column = tables.submissions.c
    due = sa.select(column.form_id).where(
        column.organization_id == organization_id, column.state == tables.DUE
    )
    return Counter(conn.scalars(due))
