"""The EventDispatcher: dispatches events of one organization to its webhooks and workflows, in batches."""

from collections.abc import Awaitable, Callable
from typing import Final

from svc.actors.batch_worker import BatchDone, BatchWorker, BatchWorkerState
from svc.storage.workflows.dispatch import dispatch

REST_MS: Final = 500
"""Pause between two batches. Under load, events are therefore dispatched, and sent, several at a time, which
costs a fraction of single ones; after an idle time the first is dispatched at once."""


class EventDispatcher(BatchWorker[BatchWorkerState]):
    """Dispatches the events of one organization."""

    async def load(self) -> BatchWorkerState:
        """Dispatch what an earlier activation left."""
        self.wake.after(0)
        return BatchWorkerState()

    def next_batch(self) -> Callable[[], Awaitable[BatchDone]]:
        return self._dispatch

    async def _dispatch(self) -> BatchDone:
        dispatched = await self.units.write_behind(dispatch, self.key)
        return BatchDone(more=dispatched.more, rest_ms=0 if dispatched.more else REST_MS)
