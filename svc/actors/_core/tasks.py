"""A task beside the turns of an actor, as operators see it."""

from collections.abc import Callable
from typing import Any

import msgspec
import trio

from svc.actors._core.stacks import stack_of
from svc.request_id import request_id
from svc.telemetry.spans import current_span


class TaskRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A running task of an actor."""

    name: str
    age_seconds: float
    request_id: str | None
    """The request in whose turn it was started."""
    stack: list[str]
    """Where it waits; empty before its first step."""


class ActorTask:
    """A running task: what it runs, for which request, and how it is cancelled."""

    __slots__ = ("began_at", "fn", "request_id", "scope", "started_in", "task")

    def __init__(self, fn: Callable[..., Any]) -> None:
        self.fn = fn
        self.scope = trio.CancelScope()
        self.request_id = request_id()
        self.started_in = current_span()
        self.task: trio.lowlevel.Task | None = None
        self.began_at = trio.current_time()

    @property
    def name(self) -> str:
        name: str = getattr(self.fn, "__name__", type(self.fn).__name__)
        return name

    def record(self) -> TaskRecord:
        return TaskRecord(
            name=self.name,
            age_seconds=trio.current_time() - self.began_at,
            request_id=None if self.request_id is None else self.request_id.decode("ascii"),
            stack=[] if self.task is None else stack_of(self.task),
        )
