"""The words that records are found by, as rows; how they are looked up is the database's own."""

from collections.abc import Collection, Sequence
from typing import Final

from sqlalchemy import Connection, bindparam, delete, insert, select

from svc.storage._sqlite import search
from svc.storage.prepared import Prepared
from svc.storage.tables import search_texts

MARK_CHARS: Final = search.MARK_CHARS

_NEXT: Final = Prepared(select(search_texts.c.id).order_by(search_texts.c.id.desc()).limit(1))
_INSERT: Final = Prepared(insert(search_texts))
_OF: Final = Prepared(
    select(search_texts.c.id, search_texts.c.words).where(search_texts.c.record_id == bindparam("of_record"))
)
_DELETE: Final = Prepared(delete(search_texts).where(search_texts.c.record_id == bindparam("of_record")))


def add(conn: Connection, found_by: Sequence[tuple[str, str]]) -> None:
    """Have each record found by its words, which are separated by spaces."""
    last = _NEXT.one(conn)
    first = 1 if last is None else last.id + 1
    rows = [(number, record_id, words) for number, (record_id, words) in enumerate(found_by, start=first)]
    _INSERT.many(
        conn, [{"id": number, "record_id": record_id, "words": words} for number, record_id, words in rows]
    )
    search.add(conn, [(number, words) for number, _, words in rows])


def remove(conn: Connection, ids: Collection[str]) -> None:
    """Have these records found by no word any more."""
    for record_id in ids:
        row = _OF.one(conn, {"of_record": record_id})
        if row is not None:
            search.remove(conn, row.id, row.words)
            _DELETE.run(conn, {"of_record": record_id})


def newest(conn: Connection, words: Sequence[str], *, prefix: bool, most: int) -> list[str]:
    """Ids of the records that have all *words*, those written last first, at most so many.

    With *prefix*, the last word may be the beginning of a longer one.
    """
    return search.newest(conn, words, prefix=prefix, most=most)
