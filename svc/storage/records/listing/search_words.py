"""The words of records for search, as rows; the look-up is the database's own.

Every record has one row, from its making on; a deleted one has no words in it. Where the database's search
index keeps itself, that is all: rows are numbered by a sequence, as units of several organizations insert at
the same time. On SQLite, whose units never overlap, the numbers of the rows count up without a gap, and are
read in blocks: a full block is in the search index, and the rows of the last one are looked through one by
one. Adding words to such an index costs far less for many rows at once, and a submission must not wait for
it.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import sqlalchemy as sa

from svc.storage.records import tables
from svc.storage.sql import full_text, json_values
from svc.storage.statements import Statement, Values

MARK_CHARS: Final = full_text.MARK_CHARS
BLOCK_ROWS: Final = 512


class _Words(NamedTuple):
    """A row of words, and the number of the next new row."""

    id: int
    words: str
    end: int


class _Row(NamedTuple):
    """A row of words."""

    id: int
    record_id: str
    words: str


# One aggregate alone, so that the database goes to the end of the index for it.
_END: Final = sa.select(
    (
        sa.func.coalesce(sa.func.max(tables.search_texts.c.id), sa.literal_column("-1"))
        + sa.literal_column("1", sa.Integer)
    ).label("end")
)
_FIND_END: Final = Statement(_END, int)
_INSERT: Final = Statement(sa.insert(tables.search_texts))
_INSERT_AT_END: Final = Statement(
    sa.insert(tables.search_texts)
    .values(id=_END.scalar_subquery(), record_id=sa.bindparam("of_record"), words=sa.bindparam("new_words"))
    .returning(tables.search_texts.c.id),
    int,
)
_INSERT_UNNUMBERED: Final = Statement(
    sa.insert(tables.search_texts)
    .inline()
    .values(record_id=sa.bindparam("of_record"), words=sa.bindparam("new_words"))
)
_REPLACE: Final = Statement(
    sa.update(tables.search_texts)
    .where(
        tables.search_texts.c.record_id == sa.bindparam("of_record"),
        tables.search_texts.c.words != sa.bindparam("new_words"),
    )
    .values(words=sa.bindparam("new_words"))
)
_OF: Final = Statement(
    sa.select(
        tables.search_texts.c.id,
        tables.search_texts.c.words,
        _END.correlate(None).scalar_subquery().label("end"),
    ).where(tables.search_texts.c.record_id == sa.bindparam("of_record")),
    _Words,
)
_UPDATE: Final = Statement(
    sa.update(tables.search_texts)
    .where(tables.search_texts.c.id == sa.bindparam("of_row"))
    .values(words=sa.bindparam("new_words"))
)
_ROWS: Final = sa.select(*(tables.search_texts.c[name] for name in _Row._fields)).where(
    tables.search_texts.c.id >= sa.bindparam("first")
)
_FROM: Final = Statement(
    _ROWS.where(tables.search_texts.c.id < sa.bindparam("end")).order_by(tables.search_texts.c.id), _Row
)
_LIKE: Final = Statement(
    _ROWS.where(tables.search_texts.c.words.like(sa.bindparam("pattern"))).order_by(
        tables.search_texts.c.id.desc()
    ),
    _Row,
)


def add(conn: sa.Connection, found_by: Sequence[tuple[str, str]]) -> None:
    """Index new records by their words, which are separated by spaces."""
    if not found_by:
        return
    if full_text.keeps_itself(conn):
        _INSERT_UNNUMBERED.many(conn, _parameters(found_by))
        return
    end = _add(conn, found_by)
    open_block, next_block = _block_of(end), _block_of(end + len(found_by))
    if open_block < next_block:
        full = _FROM.all(conn, first=open_block, end=next_block)
        full_text.add(conn, [(row.id, row.words) for row in full if row.words])


def _add(conn: sa.Connection, found_by: Sequence[tuple[str, str]]) -> int:
    """Insert rows, of which there is one at least; the number of the first."""
    if len(found_by) == 1:
        record_id, words = found_by[0]
        return _INSERT_AT_END.all(conn, of_record=record_id, new_words=words)[0]
    end = _end(conn)
    _INSERT.many(
        conn,
        [
            {"id": number, "record_id": record_id, "words": words}
            for number, (record_id, words) in enumerate(found_by, start=end)
        ],
    )
    return end


def replace(conn: sa.Connection, found_by: Sequence[tuple[str, str]]) -> None:
    """Replace the words of records."""
    if full_text.keeps_itself(conn):
        _REPLACE.many(conn, _parameters(found_by))
        return
    for record_id, words in found_by:
        row = _OF.one(conn, of_record=record_id)
        if row is None or row.words == words:
            continue
        open_block = _block_of(row.end)
        if row.id < open_block and row.words:
            full_text.remove(conn, row.id, row.words)
        _UPDATE.run(conn, of_row=row.id, new_words=words)
        if row.id < open_block and words:
            full_text.add(conn, [(row.id, words)])


def newest(conn: sa.Connection, words: Sequence[str], *, prefix: bool, limit: int) -> list[str]:
    """Ids of records that have all *words*, those made last first, at most so many.

    With *prefix*, the last word may be the beginning of a longer one; whole ones come first then.
    """
    ids = _in_open_block(conn, words, prefix=prefix)
    # Whole words first: their rows come one by one, those of beginnings only once all are gathered.
    for beginnings in (False, True) if prefix else (False,):
        if len(ids) < limit:
            ids += full_text.newest(conn, words, prefix=beginnings, limit=limit)
    return list(dict.fromkeys(ids))[:limit]


def having(conn: sa.Connection, words: Sequence[str], *, prefix: bool) -> sa.ColumnElement[bool]:
    """Whether a row of `records` has all *words*, as `newest` finds them."""
    if not words:
        return sa.false()
    record_id = tables.records.c.id
    indexed = full_text.having(record_id, words, prefix=prefix)
    if full_text.keeps_itself(conn):
        return indexed
    ids = _in_open_block(conn, words, prefix=prefix)
    return sa.or_(indexed, json_values.is_item(record_id, json_values.array_of(ids)))


def _in_open_block(conn: sa.Connection, words: Sequence[str], *, prefix: bool) -> list[str]:
    """Ids of records that have all *words* and are not in the index yet, those made last first."""
    if full_text.keeps_itself(conn):
        return []
    rows = _LIKE.all(conn, first=_block_of(_end(conn)), pattern=f"%{words[-1]}%")
    return [row.record_id for row in rows if _has(row.words.split(), words, prefix=prefix)]


def _has(words: Sequence[str], wanted: Sequence[str], *, prefix: bool) -> bool:
    *whole, last = wanted
    if not set(whole) <= set(words):
        return False
    return any(word.startswith(last) for word in words) if prefix else last in words


def _parameters(found_by: Sequence[tuple[str, str]]) -> list[Values]:
    return [{"of_record": record_id, "new_words": words} for record_id, words in found_by]


def _end(conn: sa.Connection) -> int:
    """The number of the next row."""
    return _FIND_END.all(conn)[0]


def _block_of(number: int) -> int:
    """The first row of the block that row *number* is in."""
    return number - number % BLOCK_ROWS
