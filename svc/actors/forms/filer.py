"""The Filer: files the submissions of one organization, in batches.

It is separate from `Organization`, so that a crash in filing rejects no caller, and a crash in admission
delays no submission.
"""

from typing import Final

import msgspec
import structlog

from svc.actors._core import Actor, Policy, turn
from svc.actors.system import System
from svc.domain.errors import Unavailable
from svc.domain.limits import FILING_BATCH_MAX
from svc.domain.times import MINUTE_MS, SECOND_MS
from svc.storage.forms import filing
from svc.storage.forms.filing import FilingTarget
from svc.storage.store import Units

log = structlog.get_logger("svc.actors.forms.filer")

FILING_REST_MS: Final = 500
"""Pause between two filings. Under load, submissions are therefore filed in batches, at a fraction of the
cost of single ones; after an idle time the first is filed at once."""

RETRY_MS: Final = 2 * SECOND_MS
"""How long to wait after the store rejected a filing."""

FAULT_RETRY_MS_MAX: Final = 5 * MINUTE_MS
"""The longest backoff after a filing that failed for another reason: `RETRY_MS`, doubled each time."""


class FilerState(msgspec.Struct, kw_only=True):
    """The memory of a Filer. Times are ms since the epoch."""

    target: FilingTarget
    due: bool = False
    """There may be due submissions that no filing has read yet."""
    filing: bool = False
    filing_faults: int = 0
    """Filings in a row that failed for another reason than the store, shown to operators; each is logged."""
    rests_until: int = 0


class Filer(Actor[System, FilerState]):
    """Files the submissions of one organization. Its key is the organization's id."""

    # It is woken for each due submission. A full mailbox loses nothing: the waiting messages wake it as well.
    policy = Policy(mailbox_max=512, idle_seconds=300)

    async def load(self) -> FilerState:
        """Read the filing target, and file what an earlier activation left. Raises `NotFound`."""
        self.wake.after(0)
        return FilerState(target=await self._units.read(filing.target, self.key))

    @turn
    async def wake(self) -> None:
        """File the due submissions, now or after the pause."""
        self.state.due = True
        self._file_if_due()

    @turn
    async def filed(self, *, more: bool, rest_ms: int) -> None:
        """A filing has ended. File again after *rest_ms* if there is *more*."""
        self.state.filing_faults = 0
        self._end_filing(more=more, rest_ms=rest_ms)

    @turn
    async def filing_failed(self) -> None:
        """A filing failed for another reason than the store: retry it, with backoff."""
        rest_ms = min(RETRY_MS << min(self.state.filing_faults, 16), FAULT_RETRY_MS_MAX)
        self.state.filing_faults += 1
        self._end_filing(more=True, rest_ms=rest_ms)

    @property
    def _units(self) -> Units:
        """The store for this organization's units of work."""
        return self.system.store.of(self.key)

    def _end_filing(self, *, more: bool, rest_ms: int) -> None:
        self.state.filing = False
        self.state.due |= more
        self.state.rests_until = self.system.clock.now() + rest_ms
        self._file_if_due()

    def _file_if_due(self) -> None:
        state = self.state
        if state.filing or not state.due:
            return
        rest_ms = state.rests_until - self.system.clock.now()
        if rest_ms > 0:
            self.wake.after(rest_ms / SECOND_MS)
            return
        self.wake.disarm()  # this filing does what the timer was for
        state.filing = self.start_soon(self._file, state.target)
        state.due = not state.filing

    async def _file(self, target: FilingTarget) -> None:
        """File the due submissions, in a task, and tell the outcome to the Filer."""
        try:
            filed = await self._file_batch(target)
        except Unavailable as error:
            log.warning("filing has to wait", organization=self.key, why=repr(error))
            self.filed.tell(more=True, rest_ms=RETRY_MS)
        except Exception:
            log.exception("filing failed, and is tried again later", organization=self.key)
            self.filing_failed.tell()
        else:
            self.filed.tell(more=filed == FILING_BATCH_MAX, rest_ms=FILING_REST_MS)

    async def _file_batch(self, target: FilingTarget) -> int:
        """File the oldest due submissions in one unit of work; singly if one of them makes that fail."""
        try:
            return await self._units.write_behind(filing.file_due, target)
        except Unavailable:
            raise
        except Exception:
            log.exception("filing a set failed; going one by one", organization=self.key)
            return await self._units.write_behind(filing.file_each_due, target)
