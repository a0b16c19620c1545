"""The state machine of a run, as pure functions of the clock.

::

    running ──► waiting ──► running      a step waits: for a time, an event, a call's outcome, a person
       │           │
       ├───────────┼──► done             after the last step, or where a step stopped it
       ├───────────┼──► failed           a step was refused; or it never began, as one of a loop
       └───────────┴──► cancelled

A run is rows and nothing else: `position` says which step is next, and `wake_at` when it is due.
"""

from typing import Final, Literal

import msgspec

from svc.domain.errors import DomainError, Unavailable
from svc.domain.workflows.documents import Step
from svc.domain.workflows.limits import RUN_DEPTH_MAX

RunState = Literal["running", "waiting", "done", "failed", "cancelled"]

OPEN: Final[frozenset[RunState]] = frozenset({"running", "waiting"})
"""The states of a run that has not ended."""

FailureReason = Literal["loop", "too_many_runs", "forbidden", "refused", "error"]
"""Why a run failed: the runs before it began one another too often; the organization has too many open ones;
the person that it acts as may not do that; a step was refused for another reason; or the program failed at
it, as where what is stored of the run is broken: the log has more."""

Awaited = Literal["time", "event", "delivery", "approval"]
"""What a waiting run waits for. Whatever it is, the wait ends at `wake_at`."""


class RunProgress(msgspec.Struct, frozen=True, kw_only=True):
    """How far a run is. Times are ms since the epoch."""

    state: RunState
    depth: int
    """1 for a run that no run began."""
    position: str | None
    """The key of the next step, or of the one that waits or failed; None once it is done."""
    wake_at: int | None = None
    """When it is due; None once it has ended."""
    awaits: Awaited | None = None
    """What it waits for, while it does."""
    attempts: int = 0
    """How often the step at `position` was begun and could not be done, for lack of the store or the like."""
    reason: str | None = None
    """Why it failed, a `FailureReason`; or what the step that stopped it says."""
    started_at: int
    ended_at: int | None = None


def depth_after(event_depth: int) -> int:
    """The depth of a run that an event of *event_depth* begins: an event of a run has the run's."""
    return event_depth + 1


def begun(first: str | None, now: int, *, depth: int = 1) -> RunProgress:
    """A new run, due at once; failed already where *depth* is beyond `RUN_DEPTH_MAX`."""
    run = RunProgress(state="running", depth=depth, position=first, wake_at=now, started_at=now)
    return failed(run, "loop", now) if depth > RUN_DEPTH_MAX else run


def moved(run: RunProgress, position: str | None, now: int) -> RunProgress:
    """*run* after its step was done: due at *position*, or done where that is None."""
    if position is None:
        return _ended(msgspec.structs.replace(run, position=None), "done", None, now)
    return msgspec.structs.replace(
        run, state="running", position=position, wake_at=now, awaits=None, attempts=0
    )


def waiting(run: RunProgress, awaits: Awaited, until: int) -> RunProgress:
    """*run* while its step at `position` waits, *until* then at the latest."""
    return msgspec.structs.replace(run, state="waiting", awaits=awaits, wake_at=until, attempts=0)


def woken(run: RunProgress, now: int) -> RunProgress | None:
    """*run*, due at once since what it waits for has come; None if it does not wait for anything but time."""
    if run.state != "waiting" or run.awaits == "time":
        return None
    return msgspec.structs.replace(run, wake_at=now)


def put_off(run: RunProgress, until: int) -> RunProgress:
    """*run* after its step could not be done for now, which is no refusal: it is begun again then."""
    return msgspec.structs.replace(run, wake_at=until, attempts=run.attempts + 1)


def stopped(run: RunProgress, reason: str | None, now: int) -> RunProgress:
    """*run*, ended by a step `stop`: done."""
    return _ended(run, "done", reason, now)


def failed(run: RunProgress, reason: FailureReason, now: int) -> RunProgress:
    """*run*, failed at its step."""
    return _ended(run, "failed", reason, now)


def cancelled(run: RunProgress, now: int) -> RunProgress | None:
    """*run*, cancelled; None if it has ended."""
    return _ended(run, "cancelled", None, now) if run.state in OPEN else None


def retried(run: RunProgress, now: int, from_step: str | None = None) -> RunProgress | None:
    """A new run that goes on at *from_step* of *run*, which has ended, or at the step where it failed.

    None where it has not ended, or failed at none.
    """
    if run.state in OPEN or run.depth > RUN_DEPTH_MAX:
        return None
    position = from_step or (run.position if run.state == "failed" else None)
    return None if position is None else begun(position, now, depth=run.depth)


Resolution = Literal["again", "continue", "fail"]
"""What follows an error of a step: it is done again later; the run goes on after it; the run fails."""


def resolution(error: DomainError, step: Step) -> Resolution:
    """What follows *error* of *step*. What is not available now is no refusal, and counts for nothing."""
    if isinstance(error, Unavailable):
        return "again"
    return "continue" if step.on_error == "continue" else "fail"


def _ended(run: RunProgress, state: RunState, reason: str | None, now: int) -> RunProgress:
    return msgspec.structs.replace(run, state=state, reason=reason, wake_at=None, awaits=None, ended_at=now)
