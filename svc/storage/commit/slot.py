"""A slot: how a task waits for an outcome that a thread's job has."""

from collections.abc import Generator
from typing import Any, Generic, TypeVar

import trio
from outcome import Outcome

from svc.wait_guard import wait_guarded

R = TypeVar("R")


class Slot(Generic[R]):
    """One outcome, handed to the one task that waits for it. Lives on the Trio thread."""

    __slots__ = ("_outcome", "_task", "abandoned")

    def __init__(self) -> None:
        self._outcome: Outcome[R] | None = None
        self._task: trio.lowlevel.Task | None = None
        self.abandoned = False
        """Whether the waiting task was cancelled."""

    def set(self, outcome: Outcome[R]) -> None:
        self._outcome = outcome
        if self._task is not None:
            trio.lowlevel.reschedule(self._task)
            self._task = None

    async def wait(self, *, guarded: bool = False) -> R:
        """Wait for the outcome; one that must be known is waited for *guarded*, see `svc.wait_guard`."""
        if self._outcome is None:
            self._task = trio.lowlevel.current_task()
            await (wait_guarded if guarded else trio.lowlevel.wait_task_rescheduled)(self._abandon)
        else:
            await trio.lowlevel.checkpoint()
        assert self._outcome is not None  # noqa: S101  # only `set` wakes the task
        return self._outcome.unwrap()

    def __await__(self) -> Generator[Any, None, R]:
        return self.wait().__await__()

    def _abandon(self, _raise_cancel: object) -> trio.lowlevel.Abort:
        if self._task is None:
            return trio.lowlevel.Abort.FAILED  # it is woken already
        self._task = None
        self.abandoned = True
        return trio.lowlevel.Abort.SUCCEEDED
