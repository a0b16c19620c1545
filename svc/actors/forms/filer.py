"""The Filer: files the submissions of one organization, in sets.

It is an actor apart from `Organization`, so that a fault in filing keeps no caller out, and a fault in
admission delays no submission.
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
"""How long a Filer rests between two filings. Under load, submissions are so filed in sets, at a fraction of
the cost of one by one; after a quiet while the first is filed at once."""

RETRY_MS: Final = 2 * SECOND_MS
"""How long it waits when the store could not take a filing."""

FAULT_RETRY_MS_MAX: Final = 5 * MINUTE_MS
"""How long it waits at most after a filing that failed for another reason: `RETRY_MS`, doubled each time."""


class FilerState(msgspec.Struct, kw_only=True):
    """What a Filer keeps in memory. Times are ms since the epoch."""

    cabinet: FilingTarget
    due: bool = False
    """Submissions may be due that no filing has read yet."""
    filing: bool = False
    filing_faults: int = 0
    """Filings in a row that ended in a fault of ours, for an operator to see; the log has each."""
    rests_until: int = 0


class Filer(Actor[System, FilerState]):
    """Files the submissions of one organization. Its key is the organization's id."""

    # It is told of each submission that is due; when the mailbox is full of that, it is told already.
    policy = Policy(mailbox_max=512, idle_seconds=300)

    async def load(self) -> FilerState:
        """Read where it files, and file what an earlier life left due. Raises `NotFound`."""
        self.wake.after(0)
        return FilerState(cabinet=await self._units.read(filing.target, self.key))

    @turn
    async def wake(self) -> None:
        """Submissions are due: file them, now or after the rest."""
        self.state.due = True
        self._go_on()

    @turn
    async def filed(self, *, more: bool, rest_ms: int) -> None:
        """A filing ended. There is *more* to file, and nothing is filed for *rest_ms*."""
        self.state.filing_faults = 0
        self._end_filing(more=more, rest_ms=rest_ms)

    @turn
    async def filing_failed(self) -> None:
        """A filing ended in a fault that is none of the store's: retry it, later each time."""
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
        self._go_on()

    def _go_on(self) -> None:
        state = self.state
        if state.filing or not state.due:
            return
        rest_ms = state.rests_until - self.system.clock.now()
        if rest_ms > 0:
            self.wake.after(rest_ms / SECOND_MS)
            return
        self.wake.disarm()  # what the timer was for is filed now
        state.filing = self.start_soon(self._file, state.cabinet)
        state.due = not state.filing

    async def _file(self, cabinet: FilingTarget) -> None:
        """File what is due, beside the turns, and tell the outcome to the Filer."""
        try:
            filed = await self._file_set(cabinet)
        except Unavailable as error:
            log.warning("filing has to wait", organization=self.key, why=repr(error))
            self.filed.tell(more=True, rest_ms=RETRY_MS)
        except Exception:
            log.exception("filing failed, and is tried again later", organization=self.key)
            self.filing_failed.tell()
        else:
            self.filed.tell(more=filed == FILING_BATCH_MAX, rest_ms=FILING_REST_MS)

    async def _file_set(self, cabinet: FilingTarget) -> int:
        """File the oldest due submissions together; one by one where one of them spoils it for all."""
        try:
            return await self._units.write_behind(filing.file_due, cabinet)
        except Unavailable:
            raise
        except Exception:
            log.exception("filing a set failed; going one by one", organization=self.key)
            return await self._units.write_behind(filing.file_each_due, cabinet)
