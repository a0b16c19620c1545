"""What commands do with the data by themselves: write where no service runs, read where one may."""

from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

import trio
from sqlalchemy import Connection

from svc.cli.data_directory import DataDirectory
from svc.cli.failures import Failure, as_failure
from svc.clock import WallClock
from svc.domain.crypto.sealing import Sealer
from svc.storage.clock import marks as clock_marks
from svc.storage.sqlite.offline import read_beside
from svc.storage.sqlite.store import open_store
from svc.storage.store import StoreError, StoreInUse, Tx


class DataInUse(Failure):
    """Raised when another process has the data open, whose id is *holder* where it is known."""

    def __init__(self, message: str, holder: int | None) -> None:
        super().__init__(message)
        self.holder = holder


P = ParamSpec("P")
R = TypeVar("R")


def write(
    directory: DataDirectory, fn: Callable[Concatenate[Tx, P], R], *args: P.args, **kwargs: P.kwargs
) -> R:
    """What the unit `fn(tx, *args)` returns, once it is on disk; directory and key are made if need be.

    Raises `DataInUse` when a service has the data open, whose actors would not hear of the change, and
    `Failure` for all else that is in the way.
    """

    def work(tx: Tx) -> R:
        done = fn(tx, *args, **kwargs)
        clock_marks.mark(tx)
        return done

    async def unit() -> R:
        async with open_store(directory.database, WallClock(), sealer=sealer) as store:
            return await store.write(work)

    directory.make()
    sealer = Sealer(directory.open_key().derive("sealing"))
    with as_failure(StoreError):
        try:
            return trio.run(unit)
        except StoreInUse as error:
            raise DataInUse(str(error), error.holder) from error


def read(
    directory: DataDirectory, fn: Callable[Concatenate[Connection, P], R], *args: P.args, **kwargs: P.kwargs
) -> R:
    """What `fn(connection, *args)` reads, as of one moment, whether or not a service has the data open."""
    if not directory.database.exists():
        raise Failure(f"there is no data in {directory.path} yet: `svc setup` makes an organization in it")
    with as_failure(StoreError):
        return read_beside(directory.database, fn, *args, **kwargs)
