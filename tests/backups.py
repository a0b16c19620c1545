"""Installations whose backups tests make."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import trio

from svc.actors.backups.backups import BackupPlan, Backups
from svc.domain.backups.schedule import Schedule
from svc.storage.backups.kept import Shelf
from svc.storage.backups.originals import Originals
from svc.storage.files.directory import put
from svc.storage.migrations.migrate import known_revisions
from svc.storage.sqlite.engine import make_engine
from tests.empty_database import make_tables

ORGANIZATION = "org_00000000000000000000000001"
INSTALLATION = "abcdefgh"
"""The id of those whose backups tests look at."""


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


async def at_once(fn: Callable[[], Any], *, abandon_on_cancel: bool, limiter: trio.CapacityLimiter) -> Any:
    """As `trio.to_thread.run_sync`, without the thread: a mock clock would run ahead of it."""
    async with limiter:
        return fn()


class Place:
    """An installation, and the directory for its backups."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.originals = an_installation(folder / "data", b"a note")
        self.directory = folder / "backups"
        self.begun: list[int] = []
        """When backups were begun, in ms since the test began."""

    def backups(self, keep: int = 7, every_hours: int = 24) -> Backups:
        schedule = Schedule.of("03:00", every_hours)
        shelf = Shelf(self.directory, INSTALLATION)
        plan = BackupPlan(originals=self.originals, shelf=shelf, schedule=schedule, keep=keep)
        return Backups(plan, at_once)

    def names(self) -> list[str]:
        return sorted(path.name for path in self.directory.iterdir())
