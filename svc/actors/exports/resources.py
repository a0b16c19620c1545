"""What exports share."""

import structlog

from svc.actors.concurrency_limits import KeyedLimiter
from svc.domain.errors import Unavailable
from svc.domain.exports.limits import EXPORTS_AT_ONCE
from svc.storage.files.contents import FileStore
from svc.storage.files.memory import MemoryFiles

log = structlog.get_logger("svc.actors.exports")


class ExportResources:
    """The files of exports, and how many are made at once."""

    def __init__(self, contents: FileStore | None = None) -> None:
        self.contents: FileStore = contents or MemoryFiles()
        """The files, apart from those that people upload: they are in no backup, and gone after a day."""
        self.at_once = KeyedLimiter(EXPORTS_AT_ONCE, 0)
        """Exports that are being made."""
        self._is_begun = False

    async def organizations(self) -> list[str]:
        """The organizations that have files; none while the disk fails, which is logged.

        The first time, what an earlier process has begun to write is deleted.
        """
        try:
            if not self._is_begun:
                await self.contents.delete_broken_off()
                self._is_begun = True
            return await self.contents.organizations()
        except Unavailable as error:
            log.warning("the files of exports cannot be looked through", why=str(error))
            return []
