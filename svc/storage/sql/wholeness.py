"""What a database finds wrong with itself, where it looks."""

from collections.abc import Iterator

import sqlalchemy as sa

from svc.storage.metadata import metadata
from svc.storage.sqlite import offline


def integrity_faults(conn: sa.Connection) -> list[str]:
    """Faults of pages and indexes. PostgreSQL looks when it reads them, if it was made with checksums."""
    return offline.integrity_faults(conn) if conn.dialect.name == "sqlite" else []


def foreign_key_faults(conn: sa.Connection) -> list[str]:
    """Rows that refer to a row that does not exist."""
    return offline.foreign_key_faults(conn) if conn.dialect.name == "sqlite" else [*_found(conn)]


def _found(conn: sa.Connection) -> Iterator[str]:
    for table in metadata.sorted_tables:
        for key in sorted(table.foreign_keys, key=lambda key: key.parent.name):
            parent = key.column.table.alias()
            has_none = ~sa.select(parent).where(parent.c[key.column.name] == key.parent).exists()
            for (value,) in conn.execute(sa.select(key.parent).where(key.parent.is_not(None), has_none)):
                yield f"{table.name}.{key.parent.name} {value} refers to {key.column.table.name}"
