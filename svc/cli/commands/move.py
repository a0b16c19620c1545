"""`svc move`: all data from the file of the data directory to PostgreSQL, or back."""

from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import click

from svc.cli.data_directory import DataDirectory
from svc.cli.failures import Failure, as_failure
from svc.cli.options import on_data
from svc.clock import WallClock
from svc.domain.crypto.sealing import Sealer
from svc.domain.locale.times import SECOND_MS
from svc.storage import integrity, sealed
from svc.storage.moving import Moved, RowSource, RowTarget, move
from svc.storage.private_files import create_private, sync
from svc.storage.sqlite.engine import make_engine, sole_use
from svc.storage.sqlite.moving import SqliteRows
from svc.storage.sqlite.schema_changes import schema_change
from svc.storage.sqlite.store import migrate_to_head
from svc.storage.store import StoreError

_SHOWN_ROWS: Final = 100_000
"""Tables of more rows are told while they move."""
_KEPT_AS: Final = "%Y%m%d-%H%M%S"


@click.command("move")
@click.option("--to", "to", metavar="URL", help="Move the data of the data directory to this database.")
@click.option("--from", "from_", metavar="URL", help="Move the data of this database to the data directory.")
@on_data
def command(directory: DataDirectory, *, to: str | None, from_: str | None) -> None:
    """Move all data to PostgreSQL, or back into the data directory. No service may be running.

    URL is postgresql://USER@HOST/NAME; the password may stand in PGPASSWORD or in ~/.pgpass. The database has
    to be empty. Everything is copied and compared table by table, and checked as `svc check` does, before
    any of it stays: a move that breaks off leaves nothing, and is begun anew. What was moved stays where it
    was, too. Keys and files stay in the data directory.
    """
    if (to is None) == (from_ is None):
        raise click.UsageError("say either --to URL or --from URL")
    with as_failure(StoreError, OSError):
        moved = _to_server(directory, to) if to is not None else _to_file(directory, from_ or "")
    rows = sum(one.rows for one in moved)
    click.echo(f"{rows:,} rows of {len(moved)} tables were moved, and are the same in both", err=True)


def _to_server(directory: DataDirectory, url: str) -> list[Moved]:
    if not directory.has_data():
        raise Failure(f"there is no data in {directory.path}")
    with sole_use(directory.database), make_engine(directory.database).connect() as source:
        migrate_to_head(source)
        with source.begin(), _server(url) as target:
            moved = _moved(directory, SqliteRows(source), target)
    click.echo("Start the service with --database from now on, or set [data] database", err=True)
    return moved


def _to_file(directory: DataDirectory, url: str) -> list[Moved]:
    directory.make()
    draft = directory.database.with_name(f"{directory.database.name}.moving")
    with sole_use(directory.database):
        _remove(draft)
        try:
            create_private(draft, b"")  # SQLite would create it by the umask
            with make_engine(draft).connect() as target:
                migrate_to_head(target)
                with _server(url) as source, schema_change(target):
                    moved = _moved(directory, source, SqliteRows(target))
            kept = _put(draft, directory.database)
        finally:
            _remove(draft)
    if kept is not None:
        click.echo(f"The data that was there before is in {kept}", err=True)
    click.echo("Start the service without --database from now on", err=True)
    return moved


def _moved(directory: DataDirectory, source: RowSource, target: RowTarget) -> list[Moved]:
    """Move, and check what has come. Raises `Failure` where a promise is broken there."""
    moved = move(source, target, _show)
    sealer = Sealer(directory.open_key().derive("sealing"))
    for finding in integrity.check(target.conn, sealed.invariants(sealer)):
        if finding.broken:
            raise Failure(f"{finding.promise}: {finding.broken} broken, such as {finding.examples[0]}")
    return moved


def _server(url: str) -> AbstractContextManager[RowTarget]:
    """The rows of PostgreSQL, whose driver is imported where it is needed alone. Raises `Failure`."""
    try:
        from svc.storage.postgresql import moving  # noqa: PLC0415
    except ImportError as error:
        raise Failure(f"PostgreSQL needs {error.name}: pip install 'svc-platform[postgresql]'") from error
    return moving.sole_use(url)


def _show(table: str, rows: int) -> None:
    if rows and rows % _SHOWN_ROWS == 0:
        click.echo(f"{table}: {rows:,} rows", err=True)


def _put(draft: Path, database: Path) -> Path | None:
    """Have *draft* be the database; where the one of before is then, if there was one."""
    kept = None
    if database.exists():
        kept = database.with_name(f"{database.name}.before-{_moment()}")
        log = _beside(database, "-wal")
        if log.exists():  # after a crash it has what is not in the file yet
            log.replace(_beside(kept, "-wal"))
        _beside(database, "-shm").unlink(missing_ok=True)
        database.replace(kept)
    draft.replace(database)
    sync(database.parent)
    return kept


def _moment() -> str:
    """Now, for the name of a file."""
    return datetime.fromtimestamp(WallClock().wall() / SECOND_MS, UTC).strftime(_KEPT_AS)


def _remove(draft: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        _beside(draft, suffix).unlink(missing_ok=True)


def _beside(database: Path, suffix: str) -> Path:
    return database.with_name(f"{database.name}{suffix}")
