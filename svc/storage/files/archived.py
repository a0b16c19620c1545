"""The contents that a copy of the database needs, for backups, whatever version the copy is of."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from svc.storage.store import StoreFailed


class NeededContent(NamedTuple):
    """A content that a file in the data has."""

    organization_id: str
    digest: str
    size: int


def needed(database: Path) -> list[NeededContent]:
    """The contents that the files in *database* have; none in data from before there were files.

    Raises `StoreFailed`.
    """
    try:
        with closing(sqlite3.connect(database)) as conn:
            tables = {name for (name,) in conn.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
            if "files" not in tables:
                return []
            rows = conn.execute(
                "SELECT DISTINCT organization_id, digest, size FROM files"
                " WHERE removed_at IS NULL AND digest IS NOT NULL ORDER BY organization_id, digest"
            )
            return [NeededContent(*row) for row in rows]
    except sqlite3.DatabaseError as error:
        raise StoreFailed(f"{database} cannot be read: {error}") from error
