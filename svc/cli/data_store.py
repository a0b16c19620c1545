"""Where the data is: in the file of the data directory, or in a PostgreSQL database."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Concatenate, Final, ParamSpec, TypeVar

from sqlalchemy import Connection

from svc.cli.data_directory import DataDirectory
from svc.cli.failures import Failure
from svc.clock import WallClock
from svc.config.database import DatabaseUrl
from svc.domain.crypto.sealing import Sealer
from svc.storage.sqlite.engine import is_locked, lock_holder
from svc.storage.sqlite.migration_process import migrate_apart
from svc.storage.sqlite.offline import read_beside
from svc.storage.sqlite.store import migrate_to_head
from svc.storage.sqlite.store import open_store as open_file
from svc.storage.store import Store, StoreError

P = ParamSpec("P")
R = TypeVar("R")

COMMAND_LANES: Final = 1
COMMAND_WAIT_SECONDS: Final = 0.3
"""How long a command waits for the data, which a service may have for good."""


def serving_store(
    directory: DataDirectory, clock: WallClock, *, sealer: Sealer, mails: bool
) -> AbstractAsyncContextManager[Store]:
    """The store of a service. Raises `Failure`, and the errors of `open_store`."""
    if directory.database_url is None:
        return open_file(directory.database, clock, prepare=migrate_apart, sealer=sealer, mails=mails)
    _need_driver(directory.database_url)
    from svc.storage.postgresql.store import open_store  # noqa: PLC0415  # the driver is an extra

    return open_store(directory.database_url, clock, sealer=sealer, mails=mails)


def command_store(
    directory: DataDirectory, clock: WallClock, *, sealer: Sealer, mails: bool = False
) -> AbstractAsyncContextManager[Store]:
    """The store of a command that writes. Raises `Failure`, and the errors of `open_store`."""
    if directory.database_url is None:
        return open_file(directory.database, clock, prepare=migrate_to_head, sealer=sealer, mails=mails)
    _need_driver(directory.database_url)
    from svc.storage.postgresql.store import open_store  # noqa: PLC0415  # the driver is an extra

    return open_store(
        directory.database_url,
        clock,
        sealer=sealer,
        mails=mails,
        lanes=COMMAND_LANES,
        wait_seconds=COMMAND_WAIT_SECONDS,
    )


def read(
    directory: DataDirectory, fn: Callable[Concatenate[Connection, P], R], *args: P.args, **kwargs: P.kwargs
) -> R:
    """The result of `fn(connection, *args)` on one snapshot, whether or not a service runs.

    Raises `Failure` and `StoreError`, where there is no data, too.
    """
    if directory.database_url is None:
        if not directory.database.exists():
            raise Failure(
                f"there is no data in {directory.path} yet: `svc setup` makes an organization in it"
            )
        return read_beside(directory.database, fn, *args, **kwargs)
    _need_driver(directory.database_url)
    from svc.storage.postgresql import offline  # noqa: PLC0415  # the driver is an extra

    return offline.read_beside(directory.database_url, fn, *args, **kwargs)


def has_data(directory: DataDirectory) -> bool:
    """Whether there is data. Raises `Failure` and `StoreError` if it cannot be looked at."""
    if directory.database_url is None:
        return directory.has_data()
    _need_driver(directory.database_url)
    from svc.storage.postgresql import offline  # noqa: PLC0415  # the driver is an extra

    return offline.has_data(directory.database_url)


def holder(directory: DataDirectory) -> tuple[bool, int | None]:
    """Whether a process has the data open, and its number if that is known."""
    if directory.database_url is None:
        is_open = is_locked(directory.database)
        return is_open, lock_holder(directory.database) if is_open else None
    try:
        _need_driver(directory.database_url)
        from svc.storage.postgresql import offline  # noqa: PLC0415  # the driver is an extra

        return offline.holder(directory.database_url)
    except (Failure, StoreError):  # who wants to know why looks whether it can be used
        return False, None


def refuse_database(directory: DataDirectory, what: str, instead: str) -> None:
    """Raise `Failure` where the data is in PostgreSQL: *what* is not for it, do *instead*."""
    if directory.database_url is not None:
        raise Failure(
            f"{what} is of the embedded database alone, and the data is in {directory.place}: {instead}"
        )


def _need_driver(url: DatabaseUrl) -> None:
    """Raise `Failure` where PostgreSQL's driver is missing."""
    try:
        import psycopg  # noqa: F401, PLC0415  # an extra
    except ImportError as error:
        raise Failure(
            f"{url.shown} needs the driver of PostgreSQL: pip install 'svc-platform[postgresql]'"
        ) from error
