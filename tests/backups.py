"""Installations whose backups tests make."""

import sqlite3
from contextlib import closing
from pathlib import Path

from svc.storage.backups.originals import Originals
from svc.storage.files.directory import put
from svc.storage.migrations.migrate import known_revisions
from svc.storage.sqlite.engine import make_engine
from tests.town import make_tables

ORGANIZATION = "org_00000000000000000000000001"


def an_installation(folder: Path, *files: bytes) -> Originals:
    """Data in *folder* with empty tables, a key, and an organization's *files*."""
    folder.mkdir(exist_ok=True)
    originals = Originals(folder / "svc.db", folder / "secret.key", folder / "files")
    originals.secret_key.write_bytes(b"k" * 32)
    with make_engine(originals.database).connect() as conn:
        make_tables(conn)
    facts = [put(originals.files, ORGANIZATION, content) for content in files]
    with closing(sqlite3.connect(originals.database)) as database:
        database.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
        database.execute("INSERT INTO alembic_version VALUES (?)", known_revisions()[-1:])
        database.executemany(
            "INSERT INTO files (id, organization_id, name, media_type, size, digest, creator_kind,"
            " creator_id, created_at) VALUES (?, ?, 'a file', 'text/plain', ?, ?, 'person', 'usr_1', 1)",
            [
                (f"fil_{number}", ORGANIZATION, content.size, content.digest)
                for number, content in enumerate(facts)
            ],
        )
        database.commit()
    return originals
