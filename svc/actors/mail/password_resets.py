"""PasswordResets: looks up the resets that were asked for, apart from the requests that asked."""

from collections.abc import Awaitable, Callable
from typing import Final

from svc.actors.batch_worker import BatchDone, BatchWorker, BatchWorkerState
from svc.storage.mail import letters
from svc.storage.store import Units

RESETS_BATCH: Final = 20
"""Resets that one unit of work looks up: each may be of many accounts."""


class PasswordResets(BatchWorker[BatchWorkerState]):
    """A singleton, with the key `main`."""

    async def load(self) -> BatchWorkerState:
        """Look up what an earlier activation left."""
        self.check.after(0)
        return BatchWorkerState()

    @property
    def units(self) -> Units:
        """Alone: the resets are people's, and the mails are of the organizations where they are at home."""
        return self.system.store.alone

    def next_batch(self) -> Callable[[], Awaitable[BatchDone]]:
        return self._mail_resets

    async def _mail_resets(self) -> BatchDone:
        return BatchDone(more=await self.units.write(letters.mail_resets, RESETS_BATCH))
