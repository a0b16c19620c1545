"""Visits of tracked sites, and the daily keys that visitors are named under."""

from collections.abc import Collection, Sequence

import msgspec
import sqlalchemy as sa

from svc.domain.changes import ResourceChanged
from svc.domain.locale.times import day_of
from svc.domain.sites.limits import VISITOR_KEY_DAYS, VISITS_SHOWN_MAX
from svc.domain.sites.visits import PageView
from svc.storage.sites import tables
from svc.storage.sites.sites import Site
from svc.storage.statements import Statement
from svc.storage.store import Tx

_KEY_BYTES = 32

_INSERT = Statement(sa.insert(tables.visits))


_NOTE_VIEW = Statement(
    sa.update(tables.sites)
    .where(tables.sites.c.id == sa.bindparam("site_id"))
    .values(last_view_at=sa.bindparam("now"))
)


def create(tx: Tx, seen_by: Sequence[Site], visitor: str, view: PageView, *, noted: bool = False) -> None:
    """Insert a page view for each of the sites that the page belongs to; *noted*: it is their last view."""
    if noted:
        for site in seen_by:
            _NOTE_VIEW.run(tx.conn, site_id=site.id, now=tx.now)
            tx.announce(ResourceChanged(site.organization_id, "site", site.id))
    _INSERT.many(
        tx.conn,
        [
            {
                "id": tx.new_id("vis"),
                "organization_id": site.organization_id,
                "site_id": site.id,
                "visitor": visitor,
                "url": view.url,
                "referrer": view.referrer,
                "title": view.title,
                "at": tx.now,
                "record_id": None,
            }
            for site in seen_by
        ],
    )


_ATTACH = Statement(
    sa.update(tables.visits)
    .where(
        tables.visits.c.organization_id == sa.bindparam("of_organization"),
        tables.visits.c.visitor == sa.bindparam("of_visitor"),
        tables.visits.c.record_id.is_(None),
    )
    .values(record_id=sa.bindparam("contact_id"))
)


def attach(conn: sa.Connection, organization_id: str, known: Sequence[tuple[str, str]]) -> None:
    """Attach the visits of each visitor to the contact that the visitor turned out to be."""
    _ATTACH.many(
        conn,
        [
            {"of_organization": organization_id, "of_visitor": visitor, "contact_id": contact_id}
            for visitor, contact_id in known
        ],
    )


class Visit(msgspec.Struct, frozen=True):
    """A stored page view. `at` is ms since the epoch."""

    url: str
    referrer: str | None
    title: str | None
    at: int


def before(
    conn: sa.Connection,
    organization_id: str,
    at: int,
    *,
    contact_id: str | None,
    visitors: Collection[str],
    most: int = VISITS_SHOWN_MAX,
) -> list[Visit]:
    """The latest page views up to *at*, in their order: the contact's, or those under *visitors*' names."""
    whose = tables.visits.c.record_id == contact_id
    if contact_id is None:
        whose = sa.and_(
            tables.visits.c.organization_id == organization_id,
            tables.visits.c.visitor.in_(visitors),
            tables.visits.c.record_id.is_(None),
        )
    rows = conn.execute(
        sa.select(tables.visits.c.url, tables.visits.c.referrer, tables.visits.c.title, tables.visits.c.at)
        .where(whose, tables.visits.c.at <= at)
        .order_by(tables.visits.c.at.desc(), tables.visits.c.id.desc())
        .limit(most)
    ).all()
    return [Visit(*row) for row in reversed(rows)]


def rotate_keys(tx: Tx) -> list[bytes]:
    """Make today's key if there is none, forget those that are too old, and return the rest, today's first.

    Without its key, a day's visitors can be told apart but no longer identified.
    """
    today = day_of(tx.now)
    # One of a later day was made while the clock was ahead, and would name visitors until that day is over.
    wrong = sa.or_(tables.visitor_keys.c.day <= today - VISITOR_KEY_DAYS, tables.visitor_keys.c.day > today)
    tx.conn.execute(sa.delete(tables.visitor_keys).where(wrong))
    kept = keys(tx.conn)
    if today not in kept:
        kept[today] = tx.random(_KEY_BYTES)
        tx.conn.execute(sa.insert(tables.visitor_keys).values(day=today, key=kept[today]))
    return [kept[day] for day in sorted(kept, reverse=True)]


def keys(conn: sa.Connection) -> dict[int, bytes]:
    """The visitors' keys by the number of their day."""
    rows = conn.execute(sa.select(tables.visitor_keys.c.day, tables.visitor_keys.c.key))
    return {row.day: row.key for row in rows}
