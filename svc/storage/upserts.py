"""Upserts: inserts that may conflict with a row. Their SQL differs by dialect."""

from collections.abc import Sequence
from importlib import import_module

import msgspec
import sqlalchemy as sa


class Upsert(msgspec.Struct, frozen=True):
    """An insert that, on a conflict in the *unique* columns, keeps the row or has it *replaced*.

    `Statement` calls it with a dialect, for that dialect's statement. So no other module names a database.
    """

    table: sa.Table
    unique: tuple[str, ...]
    replaced: bool

    def __call__(self, dialect: sa.Dialect) -> sa.Insert:
        # Only the dialect in use is imported: another would cost memory and time at the start.
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
    """An insert that does nothing on a conflict in the *unique* columns."""
    return Upsert(table, tuple(unique), replaced=False)


def insert_or_replace(table: sa.Table, unique: Sequence[str]) -> Upsert:
    """An insert that, on a conflict in the *unique* columns, updates all others."""
    return Upsert(table, tuple(unique), replaced=True)
