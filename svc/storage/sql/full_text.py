"""The search index over `search_texts`: all of its SQL is here.

In SQLite it is a table of FTS5 (https://www.sqlite.org/fts5.html), which stores words only (`detail=none`,
external content), and returns matches newest first, so that a search can stop after as many as are ranked.
Each write of `search_texts` also updates it. In PostgreSQL it is an index of that table, which keeps itself.
"""

from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa

from svc.domain.records.limits import SEARCH_PREFIX_CHARS_MIN
from svc.storage.sql.expressions import Condition
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

# The words as they stand are the lexemes: no parser of texts takes them apart, no dictionary changes them.
_LEXEMES: Final = "array_to_tsvector(string_to_array(words, ' '))"
CREATE_POSTGRESQL: Final = f"CREATE INDEX {TABLE} ON search_texts USING gin ({_LEXEMES})"

_ADD: Final = "INSERT INTO search_index (rowid, words) VALUES (?, ?)"
_REMOVE: Final = "INSERT INTO search_index (search_index, rowid, words) VALUES ('delete', ?, ?)"
_REBUILD: Final = "INSERT INTO search_index (search_index) VALUES ('rebuild')"
_MERGE: Final = "INSERT INTO search_index (search_index, rank) VALUES ('merge', ?)"
_NEWEST: Final = """
    SELECT t.record_id FROM search_index CROSS JOIN search_texts t ON t.id = search_index.rowid
    WHERE search_index MATCH ? ORDER BY search_index.rowid DESC LIMIT ?"""
_FOUND_POSTGRESQL: Final = f"SELECT record_id FROM search_texts WHERE {_LEXEMES} @@ "  # noqa: S608  # no input
_NEWEST_POSTGRESQL: Final = sa.text(
    _FOUND_POSTGRESQL + "CAST(:words AS tsquery) ORDER BY id DESC LIMIT :limit"
)


class _Having(Condition):
    """Whether the record with an id has the words of a query."""

    inherit_cache = True
    sqlite = (
        "{0} IN (SELECT t.record_id FROM search_index CROSS JOIN search_texts t ON t.id = search_index.rowid"
        " WHERE search_index MATCH {1})"
    )
    postgresql = "{0} IN (" + _FOUND_POSTGRESQL + "CAST({1} AS tsquery))"


class _Query(sa.TypeDecorator[tuple[tuple[str, ...], bool]]):
    """Words that all have to be there, the last as a beginning or not, in the language of the index."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: sa.Dialect) -> str:
        words, prefix = value
        return (_match if dialect.name == "sqlite" else _tsquery)(words, prefix=prefix)


def keeps_itself(conn: sa.Connection) -> bool:
    """Whether each write of `search_texts` reaches the index by itself, so that nothing is added here."""
    return conn.dialect.name != "sqlite"


def add(conn: sa.Connection, rows: Sequence[tuple[int, str]]) -> None:
    """Insert rows, each a number and its words, into an index that does not keep itself."""
    raw(conn).executemany(_ADD, rows)


def rebuild(conn: sa.Connection) -> None:
    """Make the index anew of all that is in `search_texts`."""
    if conn.dialect.name == "sqlite":
        raw(conn).execute(_REBUILD)


def remove(conn: sa.Connection, number: int, words: str) -> None:
    """Delete a row, as `add`; *words* are those that it was inserted with."""
    raw(conn).execute(_REMOVE, (number, words))


def merge(conn: sa.Connection, pages: int, *, begins: bool) -> bool:
    """Write about *pages* pages of a merge of the whole index; whether there is more to merge.

    A row that was deleted is in the index beside a mark that says so, until both are merged. With *begins*
    everything becomes part of the merge, else it goes on.
    """
    if keeps_itself(conn):
        return False
    before = raw(conn).total_changes
    raw(conn).execute(_MERGE, (-pages if begins else pages,))
    # What SQLite says of it: a call that had nothing to do changes less than two rows.
    return raw(conn).total_changes - before >= 2  # noqa: PLR2004


def having(record_id: sa.ColumnElement[str], words: Sequence[str], *, prefix: bool) -> sa.ColumnElement[bool]:
    """Whether the record with *record_id* is in the index with all *words*, in any order."""
    return _Having(record_id, sa.bindparam(None, (tuple(words), prefix), type_=_Query()))


def newest(conn: sa.Connection, words: Sequence[str], *, prefix: bool, limit: int) -> list[str]:
    """Ids of the records with all *words*, the highest numbers first."""
    if not words:
        return []
    if keeps_itself(conn):
        query = _tsquery(words, prefix=prefix)
        return [*conn.scalars(_NEWEST_POSTGRESQL, {"words": query, "limit": limit})]
    return [row[0] for row in raw(conn).execute(_NEWEST, (_match(words, prefix=prefix), limit))]


def _match(words: Sequence[str], *, prefix: bool) -> str:
    # Quoted, so that no word is read as an operator. Words contain no quotes; any would be doubled.
    quoted = ['"' + word.replace('"', '""') + '"' for word in words]
    return " AND ".join(quoted) + (" *" if prefix else "")


def _tsquery(words: Sequence[str], *, prefix: bool) -> str:
    # Quoted, with what a quoted word may not have as it stands, doubled.
    quoted = ["'" + word.replace("\\", "\\\\").replace("'", "''") + "'" for word in words]
    return " & ".join(quoted) + (":*" if prefix else "")
