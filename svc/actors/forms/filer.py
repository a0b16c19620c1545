"""The Filer: files the submissions of one organization, in batches.

It is separate from `Organization`, so that a crash in filing rejects no caller, and a crash in admission
delays no submission.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

import structlog

from svc.actors.batch_worker import BatchDone, BatchWorker, BatchWorkerState
from svc.domain.errors import Unavailable
from svc.domain.forms.limits import FILING_BATCH_MAX
from svc.storage.forms import filing
from svc.storage.forms.filing import FilingTarget

log = structlog.get_logger("svc.actors.forms.filer")

FILING_REST_MS: Final = 500
"""Pause between two filings. Under load, submissions are therefore filed in batches, at a fraction of the
cost of single ones; after an idle time the first is filed at once."""


class FilerState(BatchWorkerState, kw_only=True):
    """The memory of a Filer."""

    target: FilingTarget


class Filer(BatchWorker[FilerState]):
    """Files the submissions of one organization."""

    async def load(self) -> FilerState:
        """Read the filing target, and file what an earlier activation left. Raises `NotFound`."""
        self.check.after(0)
        return FilerState(target=await self.units.read(filing.target, self.key))

    def next_batch(self) -> Callable[[], Awaitable[BatchDone]]:
        return partial(self._file, self.state.target)

    async def _file(self, target: FilingTarget) -> BatchDone:
        """File the oldest due submissions in one unit of work; singly if one of them makes that fail."""
        try:
            filed = await self.units.write_behind(filing.file_due, target)
        except Unavailable:
            raise
        except Exception:
            log.exception("filing a set failed; going one by one", organization=self.key)
            filed = await self.units.write_behind(filing.file_each_due, target)
        return BatchDone(more=filed == FILING_BATCH_MAX, rest_ms=FILING_REST_MS)
