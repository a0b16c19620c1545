"""`svc` as a program whose store fails from SIGUSR2 on: `python failing.py VALUE run …`.

Every unit and read fails. VALUE is in the message of the error, as libraries put it there, and in its cause.
"""

import signal
import sqlite3
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import sqlalchemy.exc
import trio

from svc.actors.system import System
from svc.cli import main, server_process
from svc.cli.serving import live_system as live_systems
from svc.storage.commit import batch
from svc.storage.sqlite.transaction import SqliteDatabase


def errors() -> Iterator[Exception]:
    """Errors of several kinds, again and again."""
    while True:
        yield KeyError(value)
        yield msgspec.ValidationError(f"Invalid enum value {value!r}")
        yield ExceptionGroup(value, [RuntimeError(value), TypeError(value)])
        cause = ValueError(value)
        yield sqlalchemy.exc.StatementError(value, "SELECT ?", (value,), cause, hide_parameters=True)
        yield sqlite3.OperationalError(f"Could not decode to UTF-8 column 'text' with text '{value}'")


def fail(_given: object) -> None:
    """Raise the next error, from another one, in a frame with a local variable."""
    local = value
    raise next(failures) from ValueError(local)


async def wait_for_signal() -> None:
    with trio.open_signal_receiver(signal.SIGUSR2) as signals:
        async for _ in signals:
            batch.Batch._run = run_failing  # type: ignore[assignment, method-assign]
            SqliteDatabase.read = lambda _self, conn, _fn: fail(conn)  # type: ignore[assignment, method-assign, return-value]
            print("done", flush=True)  # noqa: T201


def run_failing(own: Any, unit: Any, *rest: Any) -> None:
    unit.work = fail
    run(own, unit, *rest)


@asynccontextmanager
async def live(*args: Any, **options: Any) -> AsyncIterator[System]:
    async with live_system(*args, **options) as system:
        trio.lowlevel.spawn_system_task(wait_for_signal)
        yield system


if __name__ == "__main__":
    value = sys.argv.pop(1)
    failures = errors()
    run = batch.Batch._run
    live_system = live_systems.live_system
    server_process.live_system = live  # type: ignore[attr-defined]
    main()
