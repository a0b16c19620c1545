"""The JSON columns, and the check that every row decodes as what its column says: for `svc check`."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.storage.metadata import metadata
from svc.storage.schema import facts_of
from svc.storage.sql.expressions import Utf8

TYPES: Final[tuple[tuple["sa.Column[str]", Any], ...]] = tuple(
    (column, kind)
    for table in metadata.sorted_tables
    for column in table.columns
    if (kind := facts_of(column).json) is not None
)
"""The JSON columns of all tables, with the type of each."""


def unreadable(conn: sa.Connection) -> Iterator[str]:
    """Name each value that does not decode: its table, row and column."""
    for (column, _), (rows, decode) in zip(TYPES, _readings(), strict=True):
        for *key, stored in conn.execute(rows):
            try:
                decode(stored)
            except msgspec.DecodeError:
                yield f"{column.table.name} {' '.join(map(str, key))}, its {column.name}"


@cache
def _readings() -> tuple[tuple[sa.Select[Any], Callable[[bytes], Any]], ...]:
    """The query and the decoder for each of `TYPES`, cached: to make them costs more than to run them."""
    return tuple(
        (
            # As bytes, since text that is no UTF-8 could not even be fetched.
            sa.select(*column.table.primary_key, Utf8(column))
            .where(column.is_not(None))
            .execution_options(yield_per=1_000),
            msgspec.json.Decoder(kind).decode,
        )
        for column, kind in TYPES
    )
