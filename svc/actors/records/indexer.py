"""The Indexer: builds the missing indexes of one organization's lists and searches, in parts.

It is separate from `Organization` and `Filer`, so that a crash in indexing rejects no caller and delays no
submission. Until an index is complete, lists work without it.
"""

from collections.abc import Awaitable, Callable
from functools import partial

import msgspec

from svc.actors._core import turn
from svc.actors.batch_worker import BatchDone, BatchWorker, BatchWorkerState
from svc.storage.forms import search_blocks
from svc.storage.records.listing import index_builds
from svc.storage.store import Tx


class IndexerState(BatchWorkerState, kw_only=True):
    """The memory of an Indexer. The progress of an index is stored with its property."""

    unindexed: set[str] = msgspec.field(default_factory=set)
    """Ids of properties that a list needs an index of, and whose index is not stored as begun yet."""
    submissions: bool = False
    """Whether a search needs another block of submissions."""


class Indexer(BatchWorker[IndexerState]):
    """Builds the indexes of one organization."""

    async def load(self) -> IndexerState:
        """Continue the indexes that an earlier activation began; the first unit of work finds them."""
        self.check.after(0)
        return IndexerState()

    @turn
    async def index(self, property_ids: tuple[str, ...], *, submissions: bool = False) -> None:
        """Build the indexes of these properties, which lists need, and blocks of *submissions*."""
        self.state.unindexed.update(property_ids)
        self.state.submissions |= submissions
        self.state.due = True
        self.work_if_due()

    def next_batch(self) -> Callable[[], Awaitable[BatchDone]]:
        # If the unit fails, they are lost: the next list that needs them requests them again.
        property_ids, self.state.unindexed = self.state.unindexed, set()
        submissions, self.state.submissions = self.state.submissions, False
        return partial(self._index, property_ids, submissions)

    async def _index(self, property_ids: set[str], submissions: bool) -> BatchDone:
        more = await self.units.write_behind(_build, self.key, property_ids)
        if submissions and await self.units.write_behind(search_blocks.build, self.key):
            self.index.tell((), submissions=True)
        return BatchDone(more=more)


def _build(tx: Tx, organization_id: str, property_ids: set[str]) -> bool:
    """Begin the indexes of *property_ids*, and build a part of one. Returns whether there is more to do."""
    if property_ids:
        index_builds.want(tx, organization_id, property_ids)
    return index_builds.build(tx, organization_id)
