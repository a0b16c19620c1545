"""Direct access of commands to the data: writing while no service runs, reading at any time."""

from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

import trio
from sqlalchemy import Connection

from svc.cli import data_store
from svc.cli.data_directory import DataDirectory
from svc.cli.data_store import command_store
from svc.cli.failures import Failure, as_failure
from svc.clock import WallClock
from svc.domain.crypto.sealing import Sealer
from svc.storage.clock import marks as clock_marks
from svc.storage.store import StoreError, StoreInUse, Tx


class DataInUse(Failure):
    """Raised when another process has the data open. *holder* is its id, if known."""

    def __init__(self, message: str, holder: int | None) -> None:
        super().__init__(message)
        self.holder = holder


P = ParamSpec("P")
R = TypeVar("R")


def write(directory: DataDirectory, fn: Callable[[Tx], R], *, mails: bool = False) -> R:
    """Run the unit of work *fn*, and return its result once it is on disk.

    Mails are queued if *mails*, for the service to send. The data directory and its key are created if
    missing. Raises `DataInUse` if a service has the data open, since its actors would miss the change, and
    `Failure` if the data cannot be opened or written.
    """

    def work(tx: Tx) -> R:
        result = fn(tx)
        clock_marks.mark(tx)
        return result

    async def unit() -> R:
        async with command_store(directory, WallClock(), sealer=sealer, mails=mails) as store:
            return await store.alone.write(work)  # as any unit: nobody else has the data open

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
    """The result of `fn(connection, *args)` on one snapshot of the data, whether or not a service runs.

    Raises `Failure` if there is no data.
    """
    with as_failure(StoreError):
        return data_store.read(directory, fn, *args, **kwargs)
