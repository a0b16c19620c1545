"""Health: whether writing works, of all lanes together, since a fault is the machine's and not a lane's."""

from typing import Final

import structlog

from svc.clock import Clock
from svc.domain.locale.times import SECOND_MS
from svc.logging.throttled import ThrottledLog
from svc.storage.commit.batch import Batch

log = structlog.get_logger("svc.storage")


class Health:
    """From a fault on writing does not work, until a batch with a probe succeeds."""

    def __init__(self, clock: Clock) -> None:
        self._clock: Final = clock
        self._failing_since: int | None = None
        self._faults = ThrottledLog(log, "batch_failed", level="error", over="batches_succeed_again")
        self.failure: str | None = None
        """Why writing fails."""

    @property
    def is_failing(self) -> bool:
        return self._failing_since is not None

    @property
    def failing_seconds(self) -> float | None:
        """How long writing has failed."""
        if self._failing_since is None:
            return None
        return (self._clock.now() - self._failing_since) / SECOND_MS

    def note(self, batch: Batch) -> None:
        """Learn from the outcome of *batch*."""
        if batch.fault is not None:
            self.failure = batch.reason(batch.fault)
            if self._failing_since is None:
                self._failing_since = self._clock.now()
            self._faults.note(batch.fault.__cause__ or batch.fault, units=len(batch.units))
        elif batch.probes:
            self.failure = self._failing_since = None
            self._faults.end()
