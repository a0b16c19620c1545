"""A disk that stalls, under the inline store: what is being written is there late, and unseen until then."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import trio
from outcome import Outcome
from sqlalchemy import Connection

from svc.storage.commit.group_commit import GroupCommitStore
from svc.storage.commit.lane import Lane
from svc.storage.store import Store

R = TypeVar("R")


class Disk:
    """The disk of *store*. It is quick until `seconds` are set, which every commit takes from then on."""

    def __init__(self, store: Store) -> None:
        [writer] = cast("GroupCommitStore", store).queues
        self._lane: Lane = writer.lane
        writer.lane = self
        self.seconds: float = 0
        self.commits = 0
        """Begun while it was slow."""

    def submit(self, work: Callable[[Connection], R], done: Callable[[Outcome[R]], None]) -> None:
        if self.seconds:
            self.commits += 1
            trio.lowlevel.spawn_system_task(self._submit_late, self.seconds, work, done)
        else:
            self._lane.submit(work, done)

    async def _submit_late(self, seconds: float, work: Callable[[Connection], Any], done: Any) -> None:
        await trio.sleep(seconds)
        self._lane.submit(work, done)
