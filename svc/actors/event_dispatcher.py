"""The EventDispatcher: dispatches events of one organization to its webhooks and workflows, in batches."""

from collections.abc import Awaitable, Callable
from typing import Final

import trio

from svc.actors.batch_worker import BatchDone, BatchWorker, BatchWorkerState
from svc.actors.request_pace import SHARED_REST
from svc.domain.locale.times import SECOND_MS
from svc.domain.webhooks.limits import DISPATCH_DELIVERIES_MAX, DISPATCH_DELIVERIES_SHARED
from svc.storage.workflows.dispatch import dispatch

REST_MS: Final = 500
"""Pause between two batches. Under load, events are therefore dispatched, and sent, several at a time, which
costs a fraction of single ones; after an idle time the first is dispatched at once. A backlog has no pause,
unless requests are served meanwhile or an import runs: what it brings about would be in their way."""

IMPORT_NOTED_MS: Final = SECOND_MS
"""How long after its pause the next batch is expected, while an import runs."""


class EventDispatcher(BatchWorker[BatchWorkerState]):
    """Dispatches the events of one organization."""

    async def load(self) -> BatchWorkerState:
        """Dispatch what an earlier activation left."""
        self.check.after(0)
        return BatchWorkerState()

    def next_batch(self) -> Callable[[], Awaitable[BatchDone]]:
        return self._dispatch

    async def _dispatch(self) -> BatchDone:
        is_shared = self.system.request_pace.is_shared()
        deliveries_max = DISPATCH_DELIVERIES_SHARED if is_shared else DISPATCH_DELIVERIES_MAX
        began = trio.current_time()
        dispatched = await self.units.write_behind(dispatch, self.key, deliveries_max=deliveries_max)
        has_pause = not dispatched.more or dispatched.import_runs or is_shared
        rest_ms = max(REST_MS, round(SHARED_REST * (trio.current_time() - began) * SECOND_MS))
        places = self.system.outgoing.attempt_places
        if dispatched.import_runs:
            places.note_import(self.key, self.system.clock.now() + rest_ms + IMPORT_NOTED_MS)
        else:
            places.note_no_import(self.key)
        return BatchDone(more=dispatched.more, rest_ms=rest_ms if has_pause else 0)
