"""The backups of this installation: the directory of them, and how the last ones went."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

import msgspec
import trio

from svc.config.backups import BackupSettings
from svc.domain.backups.schedule import Schedule
from svc.storage.backups import archive, kept
from svc.storage.backups.failures import BackupFailed, Stopped
from svc.storage.backups.kept import Backup, BackupResult, Shelf
from svc.storage.backups.originals import Originals

Run = Callable[..., Awaitable[Any]]
"""As `trio.to_thread.run_sync`: a blocking function, `abandon_on_cancel` and a `limiter`."""


class BackupPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What the configuration says of backups."""

    originals: Originals
    shelf: Shelf
    schedule: Schedule
    keep: int


class BackupStatus(msgspec.Struct, kw_only=True):
    """How backups went, as far as this process knows."""

    last_good: Backup | None = None
    """The newest that has everything; None if there is none, or before the first look."""
    kept: int = 0
    """Backups in the directory, at the last look."""
    failures: int = 0
    """Failures in a row."""
    last_failure: str | None = None
    """Why the last one failed; None since one has not."""


class Backups:
    """Makes the BackupKeeper's backups, one at a time. Operators see `status` without a message to it."""

    def __init__(self, plan: BackupPlan, run: Run = trio.to_thread.run_sync) -> None:
        """*run* runs what blocks."""
        self.plan: Final = plan
        self.status: Final = BackupStatus()
        self._run = run
        # The thread of a task that was cancelled ends later than the task.
        self._threads = trio.CapacityLimiter(1)
        self._was_there = False

    async def make_if_due(self, now: int, stopped: Stopped) -> BackupResult | None:
        """Make the backup that is due at *now*, if one is. Raises `BackupFailed` and `BackupStopped`."""
        plan, status = self.plan, self.status
        try:
            found: list[Backup] = await self._in_thread(self._look)
        except OSError as error:
            raise BackupFailed(
                f"the directory for backups, {plan.shelf.directory}, cannot be used:"
                f" {error.strerror or error}"
            ) from error
        newest, status.kept = kept.newest(found, now), len(found)
        status.last_good = kept.newest(found, now, complete=True)
        if not plan.schedule.is_due(None if newest is None else newest.at, now):
            return None
        cancelled = False
        make = partial(kept.make, plan.originals, plan.shelf, now, plan.keep)
        try:
            made: BackupResult = await self._in_thread(partial(make, lambda: cancelled or stopped()))
        finally:
            cancelled = True
        status.kept += 1 - made.removed
        if not made.missing:
            status.last_good, status.failures, status.last_failure = made.backup, 0, None
        return made

    def note_failure(self, why: str) -> None:
        """No backup was made, or none with everything in it."""
        self.status.failures += 1
        self.status.last_failure = why

    def lacking(self, made: BackupResult) -> str:
        """What is said of a backup that lacks files."""
        sentence = archive.lacking(made.missing, self.plan.originals.files)
        return f"{self.plan.shelf.directory / made.backup.name} is written, but {sentence}"

    def _look(self) -> list[Backup]:
        """The backups that there are. Raises `OSError`.

        The directory is created at the first look, and then not any more: it may be a disk that is not
        mounted now, in whose place nothing should be written.
        """
        if not self._was_there:
            kept.make_directory(self.plan.shelf.directory)
            kept.clear_part(self.plan.shelf)
            self._was_there = True
        return kept.backups_in(self.plan.shelf)

    async def _in_thread(self, fn: Callable[[], Any]) -> Any:
        return await self._run(fn, abandon_on_cancel=True, limiter=self._threads)


def configured_backups(
    settings: BackupSettings, originals: Originals, installation: Callable[[], str]
) -> Backups | None:
    """The backups of *originals* that the settings ask for. *installation* gives the id for their names."""
    if settings.directory is None:
        return None
    return Backups(
        BackupPlan(
            originals=originals,
            shelf=Shelf(settings.directory, installation()),
            schedule=Schedule.of(settings.at, settings.every_hours),
            keep=settings.keep,
        )
    )
