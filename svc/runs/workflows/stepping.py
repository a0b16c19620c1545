"""Stepping: runs that are due, each by one step, in one unit of work.

Effect, events, the step's row and the run's position are one savepoint, so that a crash leaves all of them or
nothing, and a run that fails fails alone. In whose name a run goes, and what they may, is judged anew each
time.
"""

from typing import NamedTuple

import msgspec
import structlog
from sqlalchemy.exc import OperationalError

from svc.domain.errors import DomainError, Forbidden, Unauthenticated, Unavailable, Unreadable
from svc.domain.workflows import runs as rules
from svc.domain.workflows.limits import STEP_RETRY_MS, UNKNOWN_STEP_RETRY_MS
from svc.runs.workflows.step_execution import SharedFacts, StepExecution, plan_of
from svc.storage.readable import is_unreadable
from svc.storage.store import Tx
from svc.storage.workflows import runs, triggering, waking
from svc.storage.workflows.run_rows import DueRow, progress_of, run_of

log = structlog.get_logger("svc.runs.workflows.stepping")


class StepResult(NamedTuple):
    """What one unit has done."""

    steps: int
    at: int
    next_at: int | None
    """When the next run is due; None for never."""


def step_due(tx: Tx, organization_id: str, limit: int, *, ended_since: int | None = None) -> StepResult:
    """Start the runs whose time has come, and take one step of each run that is due, at most *limit*.

    Runs whose calls have ended are due, too: since *ended_since*, or at any time; and those whose approvals
    were decided.
    """
    triggering.start_due(tx, organization_id)
    waking.wake_called(tx, organization_id, ended_since)
    waking.wake_decided(tx, organization_id)
    due = runs.due(tx.conn, organization_id, tx.now, limit)
    if due:
        stepper = Stepper(tx, organization_id)
        for row in due:
            stepper.step(row)
    return StepResult(len(due), tx.now, runs.next_wake_at(tx.conn, organization_id))


class Stepper:
    """Steps runs of one organization, within one unit of work."""

    def __init__(self, tx: Tx, organization_id: str, *, dry: bool = False) -> None:
        """*dry*: nothing is waited for, and nothing sent."""
        self.tx = tx
        self._facts = SharedFacts(tx, organization_id, dry=dry)

    def step(self, row: DueRow) -> None:
        """Take the next step of a run that is due. Raises only what fails the whole unit.

        What has no effect is gone on from at once: the end of a wait, and a branch.
        """
        tx, progress = self.tx, progress_of(row)
        try:
            try:
                plan = plan_of(row.document)
            except Unreadable:
                msgspec.json.decode(row.document)  # what a later program wrote is JSON, at least
                runs.move(tx, row.id, rules.put_off(progress, tx.now + UNKNOWN_STEP_RETRY_MS))
                return
            execution: StepExecution | None = StepExecution(self._facts, run_of(row), plan)
            while execution is not None:
                progress = execution.run.progress
                self._take(execution)
                execution = execution.following()
        except Exception as error:
            if isinstance(error, OperationalError) and not is_unreadable(error):
                raise  # a fault of the machine, not of the run: the unit is tried again later
            log.exception("a run fails, since its step cannot be taken", run=row.id)
            runs.fail(tx, row, progress, "error")

    def _take(self, execution: "StepExecution") -> None:
        try:
            with self.tx.savepoint():
                execution.take()
        except Unavailable as error:
            log.warning("a step has to wait", run=execution.run.id, why=error)
            execution.put_off(self.tx.now + STEP_RETRY_MS)
        except (Forbidden, Unauthenticated) as error:
            execution.refuse(error, "forbidden")
        except DomainError as error:
            execution.refuse(error, "refused")
