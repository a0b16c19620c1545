"""`svc backup` and `svc restore`: the data, its key and its files, in one file.

`svc.storage.backups.archive` says what is in it. Keep the file as safe as the data directory, which has the
same content. Where the data is in a PostgreSQL database, the file has what is beside it.
"""

import os
import shutil
from contextlib import suppress
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from svc.cli.data_directory import KEY_BYTES, DataDirectory
from svc.cli.data_store import holder
from svc.cli.failures import Failure, as_failure
from svc.cli.operator_calls import Operator
from svc.cli.options import configured, on_data
from svc.config.loading import Configuration
from svc.domain.errors import DomainError
from svc.storage.backups import archive, beside, contents, digests
from svc.storage.backups.beside import BesideDatabase
from svc.storage.backups.failures import BackupFailed
from svc.storage.private_files import create_private, sync
from svc.storage.sqlite.offline import sole_use, verify
from svc.storage.store import StoreError, StoreFailed
from svc.tools.mail.operator_commands import FailedBackup, note_failed_backup

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("backup")
@click.argument("file", type=_FILE)
@configured()
def backup(configuration: Configuration, file: Path) -> None:
    """Write a backup of the data and its key to FILE. Works while the service runs.

    Where the data is in a PostgreSQL database, FILE has the key, the configuration file and the contents of
    files: run pg_dump before it.
    """
    operator = Operator(configuration.settings)
    directory = operator.directory
    if directory.database_url is not None:
        _write_beside_database(directory, configuration.file, file)
        return
    if not directory.database.exists():
        raise Failure(f"there is no data in {directory.path}")
    try:
        _write_backup(directory, file)
    except Failure as error:
        _tell_owners(operator, error.message)
        raise
    click.echo(f"{file} has the data and its secret key: keep it as safe as {directory.path}", err=True)


def _write_beside_database(directory: DataDirectory, settings: Path | None, file: Path) -> None:
    """Write the backup of what is not in the database, and say what makes the other. Raises `Failure`."""
    _check_new(file)
    if not directory.secret_key.exists():
        raise Failure(f"there is no secret key in {directory.path}")
    directory.open_key()
    originals = BesideDatabase(directory.secret_key, directory.files, settings)
    with (
        as_failure(StoreError, OSError, BackupFailed),
        TemporaryDirectory(prefix=".svc-backup-", dir=file.parent) as staging,
    ):
        written = beside.write(originals, beside.Note(directory.place), Path(staging))
        written.path.replace(file)
        sync(file.parent)
    has = "the secret key" if settings is None else f"the secret key, {settings}"
    click.echo(f"{file} has {has} and {written.contents} contents of files.", err=True)
    click.echo(
        f"The data is in {directory.place}, and not in it: before this, run"
        " `pg_dump --format=custom --file=DUMP` with the address. Keep both safe, and apart from the server.",
        err=True,
    )
    if written.damaged:
        raise Failure(f"{len(written.damaged)} of the contents are damaged, such as {written.damaged[0]}")


def _tell_owners(operator: Operator, why: str) -> None:
    """Have the Owners mailed who want to know, if the data can still be written."""
    if operator.settings.mail.server is not None:
        with suppress(Failure, DomainError):
            operator.run(note_failed_backup, FailedBackup(reason=why))


def _write_backup(directory: DataDirectory, file: Path) -> None:
    """Write the backup, which gets its name once it was verified. Raises `Failure`."""
    _check_new(file)
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


def _check_new(file: Path) -> None:
    """Raise `Failure` where *file* is there: a backup is never written over another."""
    if file.exists():
        raise Failure(f"{file} is there already: name another")


@click.command("restore")
@click.argument("file", type=_FILE)
@click.option(
    "--force", is_flag=True, help="Replace existing data; it is moved into a subdirectory and kept."
)
@on_data
def restore(directory: DataDirectory, file: Path, *, force: bool) -> None:
    """Restore the backup FILE into an empty data directory. The service must not be running.

    Where the data is in a PostgreSQL database, it restores what is beside it; pg_restore has the data.
    """
    without_digests = check_digests(file)
    _check_kind(file, directory)
    directory.make()
    if directory.database_url is not None:
        _restore_beside_database(directory, file, force=force)
        return
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


def _check_kind(file: Path, directory: DataDirectory) -> None:
    """Raise `Failure` where the backup has its data and the data directory has none, or the other way."""
    with as_failure(OSError, BackupFailed):
        note = beside.note_of(file)
    if note is None and directory.database_url is not None:
        raise Failure(
            f"{file} has its data, which belongs into a data directory, and data.database is"
            f" {directory.place}: restore it without that, and then run `svc move --to` with the address"
        )
    if note is not None and directory.database_url is None:
        raise Failure(
            f"{file} has no data, which was in {note.database}: set data.database to where pg_restore"
            " brings it back"
        )


def _restore_beside_database(directory: DataDirectory, file: Path, *, force: bool) -> None:
    """Bring back what is beside the database. Raises `Failure`."""
    is_open, _ = holder(directory)
    if is_open:
        raise Failure(f"{directory.place} is in use by a service: stop it first")
    with (
        as_failure(StoreError, OSError, BackupFailed),
        TemporaryDirectory(prefix=".svc-restore-", dir=directory.path) as staging,
    ):
        restored = DataDirectory(Path(staging))
        settings = Path(staging) / beside.SETTINGS
        beside.read(file, BesideDatabase(restored.secret_key, restored.files, settings))
        _check_key(file, restored)
        if directory.secret_key.exists() or directory.files.exists():
            if not force:
                raise Failure(f"{directory.path} is not empty: --force moves what is there aside")
            click.echo(f"what was there is now in {_move_aside(directory)}", err=True)
        if restored.files.exists():
            restored.files.replace(directory.files)
        restored.secret_key.replace(directory.secret_key)
        if has_settings := settings.exists():
            settings.replace(directory.path / beside.SETTINGS)
        sync(directory.path)
    click.echo(f"{directory.path} has its key and its files from {file}", err=True)
    if has_settings:
        click.echo(f"{directory.path / beside.SETTINGS} is the configuration as it was", err=True)
    click.echo(
        f"Then bring the data back into {directory.place}, an empty database: `pg_restore --no-owner DUMP`"
        " with the address; `svc check` looks whether both fit.",
        err=True,
    )


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
        _check_key(file, to)
        try:
            verify(to.database)
            return contents.read(tar, to.database, to.files)
        except StoreFailed as error:
            raise BackupFailed(f"{file} is damaged: {error}") from error


def _check_key(file: Path, restored: DataDirectory) -> None:
    if restored.secret_key.stat().st_size != KEY_BYTES:
        raise BackupFailed(f"{file} has a secret key of the wrong size")


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
        directory.path / beside.SETTINGS,
        *(database.with_name(f"{database.name}{suffix}") for suffix in ("-shm", "-wal")),
        database,
    ):
        if path.exists():
            path.replace(aside / path.name)
    return aside
