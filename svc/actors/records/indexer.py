"""The Indexer: builds the missing indexes of one organization's lists, in parts.

It is separate from `Organization` and `Filer`, so that a crash in indexing rejects no caller and delays no
submission. Until an index is complete, lists work without it.
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
"""How long to wait after the store rejected a part of an index."""


class IndexerState(msgspec.Struct, kw_only=True):
    """The memory of an Indexer. The progress of an index is stored with its property."""

    unindexed: set[str] = set()
    """Ids of properties that a list needs an index of, and whose index is not stored as begun yet."""
    indexing: bool = False


class Indexer(Actor[System, IndexerState]):
    """Builds the indexes of one organization. Its key is the organization's id."""

    policy = Policy(mailbox_max=512, idle_seconds=300)

    async def load(self) -> IndexerState:
        """Continue the indexes that an earlier activation began; the first unit of work finds them."""
        self.wake.after(0)
        return IndexerState()

    @turn
    async def wake(self) -> None:
        """Continue the indexes that were begun."""
        self._build_next()

    @turn
    async def index(self, property_ids: tuple[str, ...]) -> None:
        """Build the indexes of these properties, which lists need."""
        self.state.unindexed.update(property_ids)
        self._build_next()

    @turn
    async def indexed(self, *, more: bool, rest_ms: int = 0) -> None:
        """A part of an index was built. Build the next after *rest_ms* if there is *more*."""
        self.state.indexing = False
        if more or self.state.unindexed:
            self.wake.after(rest_ms / SECOND_MS)

    def _build_next(self) -> None:
        state = self.state
        if not state.indexing:
            property_ids, state.unindexed = state.unindexed, set()
            state.indexing = self.start_soon(self._index, property_ids)

    async def _index(self, property_ids: set[str]) -> None:
        """Build one part of one index, in a task, and tell the outcome to the Indexer."""
        try:
            more = await self.system.store.of(self.key).write_behind(_build, self.key, property_ids)
        except Unavailable as error:
            # The next list that needs these indexes requests them again.
            log.warning("an index has to wait", organization=self.key, why=repr(error))
            self.indexed.tell(more=True, rest_ms=RETRY_MS)
        except Exception:
            # The Reconciler wakes the Indexer again if an index is incomplete.
            log.exception("making an index failed; lists do without it", organization=self.key)
            self.indexed.tell(more=False)
        else:
            self.indexed.tell(more=more)


def _build(tx: Tx, organization_id: str, property_ids: set[str]) -> bool:
    """Begin the indexes of *property_ids*, and build a part of one. Returns whether there is more to do."""
    if property_ids:
        index_builds.want(tx, organization_id, property_ids)
    return index_builds.build(tx, organization_id)
