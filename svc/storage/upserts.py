"""Inserts that may meet a row with the same key: SQL has no common word for them, every database its own."""

from collections.abc import Sequence
from importlib import import_module

import msgspec
import sqlalchemy as sa


class Upsert(msgspec.Struct, frozen=True):
    """An insert, and what becomes of a row with the same *unique* columns: it is kept, or *replaced*.

    Called with a dialect it is that dialect's statement, which is what `Statement` does. So no other module
    names a database.
    """

    table: sa.Table
    unique: tuple[str, ...]
    replaced: bool

    def __call__(self, dialect: sa.Dialect) -> sa.Insert:
        """The statement for *dialect*."""
        # Only the dialect that is used is imported: another would cost memory and the start its time.
        insert = import_module(f"sqlalchemy.dialects.{dialect.name}").insert(self.table)
        statement: sa.Insert
        if self.replaced:
            others = [column.name for column in self.table.c if column.name not in self.unique]
            statement = insert.on_conflict_do_update(
                index_elements=self.unique, set_={name: insert.excluded[name] for name in others}
            )
        else:
            statement = insert.on_conflict_do_nothing(index_elements=self.unique)
        return statement


def insert_or_keep(table: sa.Table, unique: Sequence[str]) -> Upsert:
    """An insert that does nothing where a row has the same *unique* columns: no row is touched then."""
    return Upsert(table, tuple(unique), replaced=False)


def insert_or_replace(table: sa.Table, unique: Sequence[str]) -> Upsert:
    """An insert that, where a row has the same *unique* columns, writes all its others over."""
    return Upsert(table, tuple(unique), replaced=True)
