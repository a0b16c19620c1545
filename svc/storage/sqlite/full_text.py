"""Full-text search by SQLite's FTS5 (https://www.sqlite.org/fts5.html): all of its SQL is here.

The index stores words only (`detail=none`, external content), and returns matches newest first, so that a
search can stop after as many as are ranked. Each write of `search_texts` also updates the index.
"""

from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa

from svc.domain.limits import SEARCH_PREFIX_CHARS_MIN
from svc.storage.sqlite.engine import raw

MARK_CHARS: Final = 8
TABLE: Final = "search_index"
"""The name of the index. SQLite stores it in several tables, whose names begin with this."""

# Words are normalized and in lower case already, so the simplest tokenizer suffices: it splits at spaces.
# Prefixes of the shortest length have an index of their own, because each matches very many words.
CREATE: Final = (
    f"CREATE VIRTUAL TABLE {TABLE} USING fts5(words, content='search_texts', content_rowid='id',"
    f" detail=none, columnsize=0, tokenize='ascii', prefix='{MARK_CHARS + SEARCH_PREFIX_CHARS_MIN}')"
)

_ADD: Final = "INSERT INTO search_index (rowid, words) VALUES (?, ?)"
_REMOVE: Final = "INSERT INTO search_index (search_index, rowid, words) VALUES ('delete', ?, ?)"
_MERGE: Final = "INSERT INTO search_index (search_index, rank) VALUES ('merge', ?)"
_NEWEST: Final = """
    SELECT t.record_id FROM search_index CROSS JOIN search_texts t ON t.id = search_index.rowid
    WHERE search_index MATCH ? ORDER BY search_index.rowid DESC LIMIT ?"""


def add(conn: sa.Connection, rows: Sequence[tuple[int, str]]) -> None:
    """Insert rows, each a number and its words."""
    raw(conn).executemany(_ADD, rows)


def remove(conn: sa.Connection, number: int, words: str) -> None:
    """Delete a row; *words* are those that it was inserted with."""
    raw(conn).execute(_REMOVE, (number, words))


def merge(conn: sa.Connection, pages: int, *, begins: bool) -> bool:
    """Write about *pages* pages of a merge of the whole index; whether there is more to merge.

    A row that was deleted is in the index beside a mark that says so, until both are merged. With *begins*
    everything becomes part of the merge, else it goes on.
    """
    before = raw(conn).total_changes
    raw(conn).execute(_MERGE, (-pages if begins else pages,))
    # What SQLite says of it: a call that had nothing to do changes less than two rows.
    return raw(conn).total_changes - before >= 2  # noqa: PLR2004


def newest(conn: sa.Connection, words: Sequence[str], *, prefix: bool, limit: int) -> list[str]:
    """Ids of the records with all *words*, the highest numbers first."""
    if not words:
        return []
    # Quoted, so that no word is read as an operator. Words contain no quotes; any would be doubled.
    quoted = ['"' + word.replace('"', '""') + '"' for word in words]
    match = " AND ".join(quoted) + (" *" if prefix else "")
    return [row[0] for row in raw(conn).execute(_NEWEST, (match, limit))]
