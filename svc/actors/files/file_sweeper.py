"""The FileSweeper: removes files that nothing uses any more, and deletes contents that no file has.

What is to be done are rows, and what lies on the disk, so it may crash at any point.
"""

from typing import Final

import msgspec
import structlog

from svc.actors._core import Actor, Policy, turn
from svc.actors.system import System
from svc.domain.errors import Unavailable
from svc.domain.locale.times import DAY_MS
from svc.storage.files import sweeping
from svc.storage.files.sweeping import RemovedFile

log = structlog.get_logger("svc.actors.files.file_sweeper")

FILE_SWEEPER: Final = "main"
"""The key of the only one."""
SCAN_MS: Final = DAY_MS
"""How often the disk is looked through for contents without a row, which only a crash leaves."""


class FileSweeperState(msgspec.Struct, kw_only=True):
    """The memory of the FileSweeper."""

    scan_at: int
    """When the disk is looked through next, ms since the epoch."""
    to_scan: list[str] = []
    """The organizations whose contents are still to be looked through."""
    after: str = ""
    """The last removed file that was looked at; empty to begin again."""


class FileSweeper(Actor[System, FileSweeperState]):
    """A singleton, with the key `FILE_SWEEPER`. The Reconciler wakes it with every round."""

    policy = Policy(idle_seconds=float("inf"), turn_seconds=60, mailbox_max=512)

    async def load(self) -> FileSweeperState:
        """The disk is looked through with the first round, for what a crash has left."""
        return FileSweeperState(scan_at=self.system.clock.now())

    @turn
    async def wake(self) -> None:
        """Do what is due: remove, delete, and look through the disk."""
        state, now = self.state, self.system.clock.now()
        self.sweep.after(0)
        if state.scan_at > now:
            return
        try:
            broken_off = await self.system.files.contents.delete_broken_off()
            state.to_scan = await self.system.files.contents.organizations()
        except Unavailable as error:
            log.warning("files cannot be looked through", why=str(error))
            return
        if broken_off:
            log.info("uploads that were broken off are deleted", many=broken_off)
        state.scan_at = now + SCAN_MS
        self.scan.after(0)

    @turn
    async def sweep(self) -> None:
        """Remove a batch of unused files and delete a batch of contents; repeat until none is left."""
        state, store = self.state, self.system.store
        try:
            unused = await store.read_long(sweeping.unused, self.system.clock.now())
            for organization_id, ids in unused.items():
                units = store.of(organization_id)
                await units.write_behind(sweeping.sweep_unused, organization_id, ids)
            removed = await store.read_long(sweeping.removed_files, state.after)
            gone = [file for file in removed if await self._delete(file)]
            for organization_id, ids in sweeping.by_organization(gone).items():
                await store.of(organization_id).write_behind(sweeping.let_go, organization_id, ids)
        except Unavailable as error:
            log.warning("files cannot be swept now", why=str(error))
            return
        state.after = removed[-1].id if removed else ""
        if unused or removed:
            self.sweep.after(0)

    @turn
    async def scan(self) -> None:
        """Look through the contents of one organization; repeat until all were."""
        if not self.state.to_scan:
            return
        organization_id = self.state.to_scan.pop()
        try:
            on_disk = await self.system.files.contents.digests(organization_id)
            units = self.system.store.of(organization_id)
            left_over = await units.read_long(sweeping.without_rows, organization_id, on_disk)
            for digest in left_over:
                async with self.system.files.contents.of(organization_id, digest):
                    if await units.read(sweeping.without_rows, organization_id, [digest]):
                        await self.system.files.contents.delete(organization_id, digest)
        except Unavailable as error:
            log.warning("the files of an organization cannot be looked through", why=str(error))
        else:
            if left_over:
                log.info(
                    "contents without a file are deleted", organization=organization_id, many=len(left_over)
                )
        self.scan.after(0)

    async def _delete(self, file: RemovedFile) -> bool:
        """Delete the content of a removed file, unless another file has it; whether it may be let go of."""
        organization_id, digest = file.organization_id, file.digest
        async with self.system.files.contents.of(organization_id, digest):
            units = self.system.store.of(organization_id)
            if await units.read(sweeping.is_needed, organization_id, digest):
                return True
            return await self.system.files.contents.delete(organization_id, digest)
