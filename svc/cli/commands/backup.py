"""`svc backup` and `svc restore`: the data and its key, in one file.

The file is a tar archive of a consistent copy of the database, and of the secret key. Without the key, stored
hashes of senders would match no one, and encrypted data could not be decrypted, so a backup without it would
be useless. Keep the file as safe as the data directory, which has the same content.
"""

import os
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from svc.cli.data_directory import KEY_BYTES, DataDirectory, create_private, sync
from svc.cli.failures import Failure, as_failure
from svc.cli.operator_calls import Operator
from svc.cli.options import as_operator, on_data
from svc.domain.errors import DomainError
from svc.storage.sqlite.offline import copy, sole_use, verify
from svc.storage.store import StoreError
from svc.tools.mail.operator_commands import FailedBackup, note_failed_backup

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("backup")
@click.argument("file", type=_FILE)
@as_operator
def backup(operator: Operator, file: Path) -> None:
    """Write a backup of the data and its key to FILE. Works while the service runs."""
    directory = operator.directory
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
        as_failure(StoreError, OSError),
        TemporaryDirectory(prefix=".svc-backup-", dir=file.parent) as staging,
    ):
        copied, archive = Path(staging, directory.database.name), Path(staging, "archive")
        copy(directory.database, copied)
        verify(copied)
        create_private(archive, b"")
        with archive.open("wb") as written:
            with tarfile.open(fileobj=written, mode="w") as tar:
                for path in (copied, directory.secret_key):
                    tar.add(path, path.name, filter=_anonymous)
            written.flush()
            os.fsync(written.fileno())
        archive.replace(file)
        sync(file.parent)


@click.command("restore")
@click.argument("file", type=_FILE)
@click.option(
    "--force", is_flag=True, help="Replace existing data; it is moved into a subdirectory and kept."
)
@on_data
def restore(directory: DataDirectory, file: Path, *, force: bool) -> None:
    """Restore the backup FILE into an empty data directory. The service must not be running."""
    directory.make()
    with (
        as_failure(StoreError, OSError),
        sole_use(directory.database),
        TemporaryDirectory(prefix=".svc-restore-", dir=directory.path) as staging,
    ):
        restored = DataDirectory(Path(staging))
        _unpack(file, restored)
        verify(restored.database)
        if directory.database.exists() or directory.secret_key.exists():
            if not force:
                raise Failure(f"{directory.path} is not empty: --force moves what is there aside")
            click.echo(f"what was there is now in {_move_aside(directory)}", err=True)
        # In this order: if this is interrupted, the next start refuses data without its key.
        restored.database.replace(directory.database)
        restored.secret_key.replace(directory.secret_key)
        sync(directory.path)
    click.echo(f"{directory.path} is restored from {file}", err=True)


def _anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    return member.replace(mode=0o600, uid=0, gid=0, uname="", gname="", deep=False)


def _unpack(file: Path, to: DataDirectory) -> None:
    """Extract the database and the key to *to*. Raises `Failure` if *file* is not a complete backup."""
    with _reading(file), tarfile.open(file) as tar:
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
        raise Failure(f"{file} has a secret key of the wrong size")


@contextmanager
def _reading(file: Path) -> Iterator[None]:
    try:
        yield
    except (tarfile.TarError, KeyError, EOFError) as error:
        raise Failure(f"{file} is no backup of this program, or not all of one") from error


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
        *(database.with_name(f"{database.name}{suffix}") for suffix in ("-shm", "-wal")),
        database,
    ):
        if path.exists():
            path.replace(aside / path.name)
    return aside
