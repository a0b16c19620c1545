"""Dry runs: all of a run at once, in a savepoint that is rolled back."""

from svc.domain.workflows.limits import WORKFLOW_STEPS_MAX
from svc.runs.workflows.stepping import Stepper
from svc.storage.store import Tx
from svc.storage.workflows import run_steps, runs
from svc.storage.workflows.run_rows import Run, progress_of, run_of
from svc.tools.runner import DryRun


class _Undone(Exception):
    """Raised to roll a dry run back."""


def attempt(tx: Tx, run: Run) -> DryRun:
    """Take every step of a new *run*; nothing of it stays, is announced, sent, or waited for."""
    done = []
    try:
        with tx.savepoint():
            runs.insert(tx, run)
            stepper = Stepper(tx, run.organization_id, dry=True)
            for _ in range(WORKFLOW_STEPS_MAX):
                row = runs.with_document(tx.conn, run.id)
                if progress_of(row).wake_at is None:
                    break
                stepper.step(row)
            ended = run_of(runs.with_document(tx.conn, run.id))
            done.append(DryRun(ended, run_steps.list_all(tx.conn, run.id)))
            raise _Undone  # noqa: TRY301  # nothing but this rolls a savepoint back
    except _Undone:
        return done[0]
