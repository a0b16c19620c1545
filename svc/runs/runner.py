"""The runner that calls are handed, so that tools can have tools run without knowing what runs them."""

from typing import Final

from svc.domain.approvals.cards import Card
from svc.domain.identity.callers import Call
from svc.runs.approvals import card_execution
from svc.runs.workflows import dry_runs
from svc.storage.store import Tx
from svc.storage.workflows.run_rows import Run
from svc.tools.runner import DryRun, Runner


class _Runs(Runner):
    """The runs of this program."""

    def try_run(self, tx: Tx, run: Run) -> DryRun:
        return dry_runs.attempt(tx, run)

    def run_card(self, tx: Tx, call: Call, card: Card) -> bytes:
        return card_execution.perform(tx, call, card)


RUNNER: Final[Runner] = _Runs()
