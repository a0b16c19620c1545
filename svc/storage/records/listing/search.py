"""Search: the records that have all words of a query, the best first."""

from collections.abc import Sequence

import msgspec
import sqlalchemy as sa

from svc.domain import cursors
from svc.domain.records.kinds.registry import KINDS
from svc.domain.records.limits import SEARCH_CANDIDATES_MAX, SEARCH_ROWS, SEARCH_ROWS_MAX
from svc.domain.records.queries import WordSearch
from svc.domain.records.text_search import SearchTerms, fit, sought
from svc.storage.readable import each
from svc.storage.records import objects, tables
from svc.storage.records.listing import search_words
from svc.storage.records.listing.index import mark_of
from svc.storage.records.objects import StoredObject
from svc.storage.records.rows import RECORDS, Record, from_row

# By id alone: beside a condition on the object, SQLite walks through all of the object's records.
_ROWS = RECORDS.prepared(RECORDS.select(tables.records.c.id.in_(sa.bindparam("ids", expanding=True))))


class Hit(msgspec.Struct, frozen=True):
    """A record that was found, and how well it fits: higher is better."""

    record: Record
    score: int


def search(
    conn: sa.Connection,
    organization_id: str,
    query: str,
    *,
    object_slug: str | None = None,
    limit: int = SEARCH_ROWS,
) -> list[Hit]:
    """The records with all words of *query*, of one object or of every one; those that fit best first.

    The last word also finds longer ones, from `SEARCH_PREFIX_CHARS_MIN` characters on. Of each object the
    newest `SEARCH_CANDIDATES_MAX` matches are ranked, so that common words cost no more than rare ones.

    Raises `NotFound` for the object, and `InvalidInput` for the limit.
    """
    cursors.check_limit(limit, SEARCH_ROWS_MAX)
    looked_for = sought(query)
    if not looked_for.words:
        return []
    if object_slug is None:
        searched: Sequence[StoredObject] = objects.list_all(conn, organization_id)
    else:
        searched = [objects.get(conn, organization_id, object_slug)]
    hits = [hit for object_ in searched for hit in _hits(conn, object_, looked_for)]
    # Equally good ones: the newest first, which is the order of ids backwards.
    hits.sort(key=lambda hit: (hit.score, hit.record.id), reverse=True)
    return hits[:limit]


def word_search(object_: StoredObject, query: str | None) -> WordSearch | None:
    """The words of *query*, for a list of the object's records; None where none is given."""
    if query is None:
        return None
    kept = [prop for prop in object_.kept if KINDS[prop.type].is_searchable]
    live = tuple(prop.slug for prop in kept if prop.slug in object_.properties)
    return WordSearch(sought(query), live if len(live) < len(kept) else ())


def _hits(conn: sa.Connection, object_: StoredObject, looked_for: SearchTerms) -> list[Hit]:
    mark = mark_of(object_.id)
    words = [mark + word for word in looked_for.words]
    ids = search_words.newest(conn, words, prefix=looked_for.prefix, limit=SEARCH_CANDIDATES_MAX)
    slugs = [slug for slug, prop in object_.properties.items() if KINDS[prop.type].is_searchable]
    hits: list[Hit] = []
    rows = _ROWS.all(conn, ids=ids) if ids else ()
    # Two objects may share a mark.
    own = [row for row in rows if row.object_id == object_.id and row.deleted_at is None]
    for record in each(own, lambda row: from_row(object_, row), "records"):
        score = fit(looked_for, slugs, record.properties)
        if score is not None:
            hits.append(Hit(record, score))
    return hits
