"""Write the next revision: the difference between the tables and the schema that the migrations make.

Review it before use: Alembic detects neither renames nor changed conditions, and migrates no rows.
"""

import sys
from pathlib import Path
from typing import Final

import sqlalchemy as sa
from alembic import command
from alembic.script import Script

from svc.storage.metadata import metadata
from svc.storage.migrations import migrate
from svc.storage.schema import PartialIndex
from svc.storage.sqlite.engine import make_engine
from svc.storage.sqlite.schema_changes import schema_change

_FORMATTED: Final = {
    "hooks": "format",
    "format.type": "exec",
    "format.executable": sys.executable,
    "format.options": "-m ruff format --quiet REVISION_SCRIPT_FILENAME",
}


def write_revision(message: str, versions: Path = migrate.VERSIONS, tables: sa.MetaData = metadata) -> Path:
    """Write the revision from the newest of *versions* to *tables*, and return its path."""
    known = migrate.known_revisions(versions)
    for table in tables.sorted_tables:
        for index in table.indexes:
            if isinstance(index, PartialIndex):
                index.write_out()
    with make_engine(None).connect() as conn, schema_change(conn):
        migrate.upgrade(conn, versions)
        config = migrate.alembic_config(conn, versions)
        number = int(known[-1]) + 1 if known else 1
        config.attributes["metadata"] = tables
        for name, value in _FORMATTED.items():
            config.set_section_option("post_write_hooks", name, value)
        written = command.revision(config, message, autogenerate=True, rev_id=f"{number:04}")
    if not isinstance(written, Script):
        raise TypeError(f"expected one revision, not {written}")
    return Path(written.path)


if __name__ == "__main__":
    write_revision(" ".join(sys.argv[1:]))
