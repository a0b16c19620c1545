"""Room for a start on a full disk, kept in the data directory as a file.

To open the database takes room even where nothing is written: for the index of its log, and to recover what a
crash left. So a start on a full disk gives the reserve up, and takes back what is left of it once the service
runs: the next start needs it as well, and until there is room nothing else may use it.
"""

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final

import structlog
import trio

from svc.domain.randomness import SYSTEM

log = structlog.get_logger("svc.service")

RESERVE_BYTES: Final = 1024 * 1024
"""A start takes about 100 KiB, so there is room for several."""
LOOK_SECONDS: Final = 60
"""How often it is tried to make the reserve whole again."""
_PRIVATE: Final = 0o600


class Reserve:
    """The reserve at *path*."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._given_up = 0
        self.is_needed = False
        """Whether the disk has less room than the reserve, as far as is known."""

    def give_up_if_needed(self) -> None:
        """Give the reserve up if the disk has less room than it; else make it, if it is not there."""
        if self._free() >= RESERVE_BYTES:
            self._make()
            return
        self.is_needed = True
        self._given_up = self._size()
        if self._given_up:
            os.truncate(self._path, 0)
        log.error(
            "the disk is full: the service starts from its reserve, reads, and writes once there is room",
            directory=str(self._path.parent),
            reserve_bytes=self._given_up,
        )

    def take_back(self) -> None:
        """Take as much of what was given up as is left."""
        self._grow(self._given_up)

    async def keep(self) -> None:
        """Make the reserve whole as soon as there is room."""
        while self._size() < RESERVE_BYTES:
            await trio.sleep(LOOK_SECONDS)
            with suppress(OSError):
                is_whole = await trio.to_thread.run_sync(self._make, abandon_on_cancel=True)
                if is_whole and self.is_needed:
                    self.is_needed = False
                    log.info("there is room on the disk again, and the reserve is whole")

    def _make(self) -> bool:
        """Make the reserve whole, unless that would leave too little room; whether it is."""
        missing = RESERVE_BYTES - self._size()
        if missing > 0 and self._free() - missing >= RESERVE_BYTES:
            self._grow(RESERVE_BYTES)
        return self._size() >= RESERVE_BYTES

    def _grow(self, to: int) -> None:
        """Make it that large, or as large as there is room, of what no file system can compress."""
        handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, _PRIVATE)
        with suppress(OSError), os.fdopen(handle, "ab", buffering=0) as file:
            while (missing := to - file.tell()) > 0:
                file.write(SYSTEM(missing))
            os.fsync(file.fileno())

    def _free(self) -> int:
        return shutil.disk_usage(self._path.parent).free

    def _size(self) -> int:
        try:
            return self._path.stat().st_size
        except FileNotFoundError:
            return 0
