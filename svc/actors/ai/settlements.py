"""Settlements of AI calls: each is stored once, however the call ended and whatever the store says.

A settlement that the store refuses is kept and tried again until it is in. What a process leaves behind is
settled by the next start, before a door opens.
"""

from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import structlog
import trio

from svc.domain.ai.exits import Charge, Ended
from svc.domain.ai.limits import AI_SETTLEMENTS_KEPT_MAX
from svc.domain.ai.models import Payer
from svc.domain.errors import Unavailable
from svc.storage.ai import calls, lost_calls
from svc.storage.ai.calls import Settlement
from svc.storage.store import Store

log = structlog.get_logger("svc.actors.ai.settlements")

RETRY_SECONDS: Final = 1.0
RETRY_SECONDS_MAX: Final = 30.0
"""The waits between attempts double up to this."""


class Settlements:
    """Stores settlements for one process. `live` runs its retries."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: deque[Settlement] = deque()
        self._wakeup = trio.Event()
        self._process: str | None = None
        self.ended: Counter[tuple[Payer, Ended]] = Counter()
        """Calls that were settled since the start, by who pays and how they ended."""
        self.cost: Counter[Payer] = Counter()
        """What they cost at list price, in micro-credits."""
        self.charged = 0
        """What of it was taken from credits."""

    @property
    def kept(self) -> int:
        """How many settlements the store has refused so far, and are tried again."""
        return len(self._kept)

    @property
    def process(self) -> str:
        """The name of this run of the program, for `NewCall`."""
        if self._process is None:
            raise RuntimeError("`begin` comes before the first call")
        return self._process

    async def begin(self) -> int:
        """Settle what earlier processes left; how many calls that were. A door opens only after this."""
        self._process = process = await self._store.alone.write(calls.new_process)
        lost = 0
        for organization_id in await self._store.read_long(lost_calls.organizations_with_lost, process):
            lost += await self._store.of(organization_id).write(
                lost_calls.settle_lost, organization_id, process
            )
        if lost:
            log.warning("AI calls that an earlier process left were settled, and cost nothing", calls=lost)
        return lost

    async def settle(self, settlement: Settlement) -> Charge | None:
        """Store the settlement; None where the store refuses it, and it is tried again.

        A cancellation does not interrupt it.
        """
        with trio.CancelScope(shield=True):
            try:
                return await self._store_one(settlement)
            except Unavailable as error:
                self._keep(settlement, error)
        return None

    @asynccontextmanager
    async def live(self) -> AsyncIterator[None]:
        """Try again what is kept, until the block ends; once more then."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._retry)
            try:
                yield
            finally:
                nursery.cancel_scope.cancel()
                with trio.CancelScope(shield=True):
                    await self._store_kept()
        if self._kept:
            log.error("settlements of AI calls were not stored; the next start settles them", calls=self.kept)

    async def _retry(self) -> None:
        while True:
            await self._wakeup.wait()
            seconds = RETRY_SECONDS
            while self._kept:
                await trio.sleep(seconds)
                with trio.CancelScope(shield=True):
                    await self._store_kept()
                seconds = min(2 * seconds, RETRY_SECONDS_MAX)
            self._wakeup = trio.Event()

    async def _store_kept(self) -> None:
        """Store what is kept, the oldest first, up to the first that is refused again."""
        while self._kept:
            try:
                await self._store_one(self._kept[0])
            except Unavailable:
                return
            self._kept.popleft()

    async def _store_one(self, settlement: Settlement) -> Charge:
        units = self._store.of(settlement.new.organization_id)
        charge = await units.write(calls.settle, settlement)
        self.ended[settlement.payer, settlement.exit.ended] += 1
        self.cost[settlement.payer] += charge.cost
        self.charged += charge.charged
        return charge

    def _keep(self, settlement: Settlement, error: Unavailable) -> None:
        if settlement.call_id is None and len(self._kept) >= AI_SETTLEMENTS_KEPT_MAX:
            log.error(
                "an AI call that took no credits is not noted: the store refuses too many", why=str(error)
            )
            return
        log.warning("a settlement of an AI call is kept and tried again", why=str(error), kept=self.kept + 1)
        self._kept.append(settlement)
        self._wakeup.set()
