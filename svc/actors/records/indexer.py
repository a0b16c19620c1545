"""The Indexer: builds the indexes that lists of one organization lack, part by part.

It is an actor apart from `Organization` and `Filer`, so that a fault in an index keeps no caller out and
delays no submission: lists do without the index meanwhile.
"""

from typing import Final

import msgspec
import structlog

from svc.actors._core import Actor, Policy, turn
from svc.actors.system import System
from svc.domain.errors import Unavailable
from svc.domain.times import SECOND_MS
from svc.storage.records.listing import index_builds
from svc.storage.store import Tx

log = structlog.get_logger("svc.actors.records.indexer")

RETRY_MS: Final = 2 * SECOND_MS
"""How long it waits when the store could not take a part of an index."""


class IndexerState(msgspec.Struct, kw_only=True):
    """What an Indexer keeps in memory. How far an index has come is stored with its property."""

    unindexed: set[str] = set()
    """Ids of properties that a list wanted the keys of, and that no unit of work has been told of."""
    indexing: bool = False


class Indexer(Actor[System, IndexerState]):
    """Builds the indexes of one organization. Its key is the organization's id."""

    policy = Policy(mailbox_max=512, idle_seconds=300)

    async def load(self) -> IndexerState:
        """Continue the indexes that an earlier life began; the first unit of work finds them."""
        self.wake.after(0)
        return IndexerState()

    @turn
    async def wake(self) -> None:
        """Continue the indexes that are begun."""
        self._go_on()

    @turn
    async def index(self, property_ids: tuple[str, ...]) -> None:
        """Lists want the keys of these properties: build their indexes."""
        self.state.unindexed.update(property_ids)
        self._go_on()

    @turn
    async def indexed(self, *, more: bool, rest_ms: int = 0) -> None:
        """A part of an index was built. There is *more*, and nothing is built for *rest_ms*."""
        self.state.indexing = False
        if more or self.state.unindexed:
            self.wake.after(rest_ms / SECOND_MS)

    def _go_on(self) -> None:
        state = self.state
        if not state.indexing:
            wanted, state.unindexed = state.unindexed, set()
            state.indexing = self.start_soon(self._index, wanted)

    async def _index(self, wanted: set[str]) -> None:
        """Build one part of one index, beside the turns, and tell the outcome to the Indexer."""
        try:
            more = await self.system.store.of(self.key).write_behind(_build, self.key, wanted)
        except Unavailable as error:
            # What was wanted is told again by the next list that wants it.
            log.warning("an index has to wait", organization=self.key, why=repr(error))
            self.indexed.tell(more=True, rest_ms=RETRY_MS)
        except Exception:
            # The Reconciler wakes it again, where an index is begun.
            log.exception("making an index failed; lists do without it", organization=self.key)
            self.indexed.tell(more=False)
        else:
            self.indexed.tell(more=more)


def _build(tx: Tx, organization_id: str, wanted: set[str]) -> bool:
    """Begin the indexes that are *wanted*, and add to one that is begun; whether there is more to do."""
    if wanted:
        index_builds.want(tx, organization_id, wanted)
    return index_builds.build(tx, organization_id)
