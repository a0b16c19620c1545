"""The Organization: files its submissions in sets."""

from typing import Final

import msgspec
import structlog

from svc.actors._core import Actor, Policy, turn
from svc.actors.house import House
from svc.domain.errors import Unavailable
from svc.domain.limits import FILING_BATCH_MAX
from svc.domain.times import SECOND_MS
from svc.storage import filing
from svc.storage.filing import Cabinet

log = structlog.get_logger("svc.actors.organization")

FILING_REST_MS: Final = 500
"""How long an organization rests between two filings. Under load its submissions are so filed in sets,
at a fraction of the cost of one by one; after a quiet while the first is filed at once."""

RETRY_MS: Final = 2 * SECOND_MS
"""How long it waits when the store could not take a filing."""


class OrganizationState(msgspec.Struct, kw_only=True):
    """What an organization keeps at hand. Times are ms since the epoch."""

    cabinet: Cabinet
    work: bool = False
    """Submissions may be due that no filing has seen yet."""
    filing: bool = False
    rests_until: int = 0


class Organization(Actor[House, OrganizationState]):
    """One organization. Its key is the organization's id."""

    policy = Policy(mailbox_max=512, idle_seconds=300)

    async def load(self) -> OrganizationState:
        """What is stored of it. Raises `NotFound`. Submissions left by an earlier life are filed."""
        self.file.after(0)
        return OrganizationState(cabinet=await self.system.store.read(filing.cabinet, self.key))

    @turn
    async def wake(self) -> None:
        """Submissions are due: file them, now or after the rest."""
        self.state.work = True
        self._go_on()

    @turn
    async def file(self) -> None:
        """The rest is over."""
        self.state.work = True
        self._go_on()

    @turn
    async def filed(self, *, more: bool, rest_ms: int) -> None:
        """A filing ended. There is *more* to file, and nothing is filed for *rest_ms*."""
        self.state.filing = False
        self.state.work |= more
        self.state.rests_until = self.system.clock.now() + rest_ms
        self._go_on()

    def _go_on(self) -> None:
        state = self.state
        if state.filing or not state.work:
            return
        rest_ms = state.rests_until - self.system.clock.now()
        if rest_ms > 0:
            self.file.after(rest_ms / SECOND_MS)
            return
        state.work, state.filing = False, True
        self.start_soon(self._file, state.cabinet)

    async def _file(self, cabinet: Cabinet) -> None:
        """File what is due, beside the turns."""
        try:
            filed = await self._file_set(cabinet)
        except Unavailable as error:
            log.warning("filing has to wait", organization=self.key, why=repr(error))
            self.filed.tell(more=True, rest_ms=RETRY_MS)
        else:
            self.filed.tell(more=filed == FILING_BATCH_MAX, rest_ms=FILING_REST_MS)

    async def _file_set(self, cabinet: Cabinet) -> int:
        """File the oldest due submissions together; one by one where one of them spoils it for all."""
        store = self.system.store
        try:
            return await store.write_behind(filing.file_due, cabinet)
        except Unavailable:
            raise
        except Exception:
            log.exception("filing a set failed; going one by one", organization=self.key)
            return await store.write_behind(filing.file_each_due, cabinet)
