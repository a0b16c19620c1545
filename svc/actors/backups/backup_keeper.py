"""The BackupKeeper: makes backups by schedule, and says when none could be made.

What was made are the files in the directory, so it may crash at any point.
"""

import re
from typing import Final

import msgspec
import structlog

from svc.actors._core import Actor, Policy, turn
from svc.actors.backups.backups import Backups, BackupStatus
from svc.actors.system import System
from svc.domain.backups.schedule import retry_ms
from svc.domain.errors import Unavailable
from svc.domain.locale.times import DAY_MS, SECOND_MS, rfc3339
from svc.storage.backups.failures import BackupFailed, BackupStopped
from svc.storage.backups.kept import BackupResult
from svc.tools.mail.operator_commands import FailedBackup, note_failed_backup

log = structlog.get_logger("svc.actors.backups.backup_keeper")

BACKUP_KEEPER: Final = "main"
"""The key of the only one."""
CHECK_SECONDS: Final = 600
"""How often it looks at the clock, which may be set or stand still while the machine sleeps."""
TOLD_EVERY_MS: Final = DAY_MS
"""How often it is said again that no backup can be made."""


class BackupKeeperState(msgspec.Struct, kw_only=True):
    """The memory of the BackupKeeper, which operators may see. Times are ms since the epoch."""

    status: BackupStatus
    look_at: int
    """When it looks next whether a backup is due."""
    begun_at: int | None = None
    """When the backup was begun that is being made; None if none is."""
    is_late: bool = False
    """Whether it was said that this one takes longer than a period."""
    told_at: int | None = None
    """When the Owners were told last, of the failures since the last backup."""


class BackupKeeper(Actor[System, BackupKeeperState]):
    """A singleton, with the key `BACKUP_KEEPER`; it runs where `backup.directory` is set."""

    # It must restart after every crash, since no other actor would wake it.
    policy = Policy(crashes_max=1_000_000, backoff_seconds_max=600, idle_seconds=float("inf"))

    async def load(self) -> BackupKeeperState:
        """Look at once: what was missed while the machine stood still is made up for by one backup."""
        self.check.after(0)
        return BackupKeeperState(status=self._backups.status, look_at=self.system.clock.now())

    @turn
    async def start(self) -> None:
        """Activate the keeper."""

    @turn
    async def check(self) -> None:
        """Begin the backup that may be due, or wait for it."""
        state, now = self.state, self.system.clock.now()
        if state.begun_at is not None:
            self.check.after(CHECK_SECONDS)
            if not state.is_late and now - state.begun_at >= self._backups.plan.schedule.every_ms:
                state.is_late = True
                await self._note_failure("a backup takes longer than a period: does the disk of it answer?")
        elif state.look_at > now:
            self.check.after(min((state.look_at - now) / SECOND_MS, CHECK_SECONDS))
        elif self.start_soon(self._make, now):
            state.begun_at, state.is_late = now, False
            self.check.after(CHECK_SECONDS)

    @turn
    async def ended(self, made: BackupResult | None) -> None:
        """A backup was made, or none was due."""
        state, now = self.state, self.system.clock.now()
        begun_at, state.begun_at = state.begun_at, None
        state.look_at = self._backups.plan.schedule.next_at(now)
        self.check.after(0)
        if made is None:
            return
        if made.missing:
            await self._note_failure(self._backups.lacking(made))
            return
        state.told_at = None
        log.info(
            "a backup was made",
            file=made.backup.name,
            bytes=made.backup.size,
            seconds=(now - (begun_at or now)) / SECOND_MS,
            removed=made.removed,
        )

    @turn
    async def failed(self, why: str) -> None:
        """No backup could be made: try again later."""
        state = self.state
        state.begun_at = None
        state.look_at = self.system.clock.now() + retry_ms(state.status.failures + 1)
        self.check.after(0)
        await self._note_failure(why)

    async def _make(self, now: int) -> None:
        """Make the backup that is due, in a task, and tell the outcome to the actor."""
        try:
            made = await self._backups.make_if_due(now, lambda: self.system.quiesced)
        except BackupStopped:
            log.info("a backup was broken off, since the service ends; the next start makes it")
        except BackupFailed as error:
            self.failed.tell(str(error))
        else:
            self.ended.tell(made)

    async def _note_failure(self, why: str) -> None:
        """Say why there is no backup: a cause once, and each day again."""
        state, now = self.state, self.system.clock.now()
        before = state.status.last_failure
        self._backups.note_failure(why)
        is_new = before is None or _cause(why) != _cause(before)
        is_due = state.told_at is None or now - state.told_at >= TOLD_EVERY_MS
        if is_new or is_due:
            log.error("no good backup was made", why=why, next_one=rfc3339(state.look_at))
        if is_due and await self._tell_owners(why):
            state.told_at = now

    async def _tell_owners(self, why: str) -> bool:
        """Have the Owners mailed who want to know; whether that is stored, if there is mail."""
        if self.system.mail.mailing.server is None:
            return True
        try:
            await self.system.store.alone.write(note_failed_backup, FailedBackup(reason=why))
        except Unavailable as error:
            log.warning("that no backup was made cannot be mailed yet", why=str(error))
            return False
        return True

    @property
    def _backups(self) -> Backups:
        backups = self.system.backups
        if backups is None:
            raise RuntimeError("no directory for backups is configured")
        return backups


def _cause(why: str) -> str:
    """*why* without figures, such as those of the room that is left."""
    return re.sub(r"[0-9]+", "", why)
