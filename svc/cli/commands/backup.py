"""`svc backup` and `svc restore`: the data, its key and its files, in one file.

`svc.storage.backups.archive` says what is in it. Keep the file as safe as the data directory, which has the
same content.
"""

import os
import shutil
from contextlib import suppress
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from svc.cli.data_directory import KEY_BYTES, DataDirectory
from svc.cli.data_store import refuse_database
from svc.cli.failures import Failure, as_failure
from svc.cli.operator_calls import Operator
from svc.cli.options import as_operator, on_data
from svc.domain.errors import DomainError
from svc.storage.backups import archive, contents, digests
from svc.storage.backups.failures import BackupFailed
from svc.storage.private_files import create_private, sync
from svc.storage.sqlite.offline import sole_use, verify
from svc.storage.store import StoreError, StoreFailed
from svc.tools.mail.operator_commands import FailedBackup, note_failed_backup

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("backup")
@click.argument("file", type=_FILE)
@as_operator
def backup(operator: Operator, file: Path) -> None:
    """Write a backup of the data and its key to FILE. Works while the service runs."""
    directory = operator.directory
    refuse_database(
        directory,
        "svc backup",
        f"run pg_dump, and copy {directory.secret_key} and {directory.files} with it",
    )
    if not directory.database.exists():
        raise Failure(f"there is no data in {directory.path}")
    try:
        _write_backup(directory, file)
    except Failure as error:
        _tell_owners(operator, error.message)
        raise
    click.echo(f"{file} has the data and its secret key: keep it as safe as {directory.path}", err=True)


def _tell_owners(operator: Operator, why: str) -> None:
    """Have the Owners mailed who want to know, if the data can still be written."""
    if operator.settings.mail.server is not None:
        with suppress(Failure, DomainError):
            operator.run(note_failed_backup, FailedBackup(reason=why))


def _write_backup(directory: DataDirectory, file: Path) -> None:
    """Write the backup, which gets its name once it was verified. Raises `Failure`."""
    if file.exists():
        raise Failure(f"{file} is there already: name another")
    directory.open_key()
    with (
        as_failure(StoreError, OSError, BackupFailed),
        TemporaryDirectory(prefix=".svc-backup-", dir=file.parent) as staging,
    ):
        written = archive.write(directory.originals, Path(staging))
        written.path.replace(file)
        sync(file.parent)
    if written.missing:
        raise Failure(f"{file} is written, but {archive.lacking(written.missing, directory.files)}")


@click.command("restore")
@click.argument("file", type=_FILE)
@click.option(
    "--force", is_flag=True, help="Replace existing data; it is moved into a subdirectory and kept."
)
@on_data
def restore(directory: DataDirectory, file: Path, *, force: bool) -> None:
    """Restore the backup FILE into an empty data directory. The service must not be running."""
    refuse_database(directory, "svc restore", "restore what pg_dump has written with pg_restore")
    without_digests = check_digests(file)
    directory.make()
    with (
        as_failure(StoreError, OSError, BackupFailed),
        sole_use(directory.database),
        TemporaryDirectory(prefix=".svc-restore-", dir=directory.path) as staging,
    ):
        restored = DataDirectory(Path(staging))
        missing = _unpack(file, restored)
        if directory.database.exists() or directory.secret_key.exists():
            if not force:
                raise Failure(f"{directory.path} is not empty: --force moves what is there aside")
            click.echo(f"what was there is now in {_move_aside(directory)}", err=True)
        # In this order: if this is interrupted, the next start refuses data without its key, and no file of
        # the data is missing.
        if restored.files.exists():
            restored.files.replace(directory.files)
        restored.database.replace(directory.database)
        restored.secret_key.replace(directory.secret_key)
        sync(directory.path)
    click.echo(f"{directory.path} is restored from {file}", err=True)
    if without_digests is not None:
        click.echo(without_digests, err=True)
    if missing:
        click.echo(f"{len(missing)} files were missing when the backup was made", err=True)


def check_digests(file: Path) -> str | None:
    """Check every byte of the backup *file*; what is said of one that has no digests. Raises `Failure`."""
    with as_failure(OSError, BackupFailed):
        if digests.check(file):
            return None
    return (
        f"{file} has no digests, since an earlier version made it: only what a restore reads of it is checked"
    )


def _unpack(file: Path, to: DataDirectory) -> list[str]:
    """Extract all of it to *to*, and check it; the contents that the backup lacks are returned.

    Raises `BackupFailed` if *file* is not a complete backup, and `StoreError` for its database.
    """
    with file.open("rb") as opened, digests.reading(file), digests.opened(opened) as tar:
        for path in (to.database, to.secret_key):
            member = tar.extractfile(path.name)
            if member is None:
                raise KeyError(path.name)
            create_private(path, b"")
            with path.open("wb") as written:
                shutil.copyfileobj(member, written)
                written.flush()
                os.fsync(written.fileno())
        if to.secret_key.stat().st_size != KEY_BYTES:
            raise BackupFailed(f"{file} has a secret key of the wrong size")
        try:
            verify(to.database)
            return contents.read(tar, to.database, to.files)
        except StoreFailed as error:
            raise BackupFailed(f"{file} is damaged: {error}") from error


def _move_aside(directory: DataDirectory) -> Path:
    """Move the data into a new subdirectory, and return it."""
    aside = next(
        path for number in count(1) if not (path := directory.path / f"before-restore-{number}").exists()
    )
    aside.mkdir(mode=0o700)
    database = directory.database
    # The key goes first, the database last: at no moment does this look like a fresh installation.
    for path in (
        directory.secret_key,
        directory.demo,
        directory.files,
        *(database.with_name(f"{database.name}{suffix}") for suffix in ("-shm", "-wal")),
        database,
    ):
        if path.exists():
            path.replace(aside / path.name)
    return aside
