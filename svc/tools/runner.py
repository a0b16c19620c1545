"""What tools ask of the layer above, `svc.runs`, which runs tools: it is handed in with each call."""

from abc import ABC, abstractmethod
from typing import NamedTuple

from svc.domain.approvals.cards import Card
from svc.domain.identity.callers import Call, ToolRunner
from svc.storage.store import Tx
from svc.storage.workflows.run_rows import Run
from svc.storage.workflows.run_steps import RunStep


class DryRun(NamedTuple):
    """How a run would go."""

    run: Run
    steps: list[RunStep]


class Runner(ToolRunner, ABC):
    """Runs tools for other tools. `svc.runs.runner` has the implementation."""

    @abstractmethod
    def try_run(self, tx: Tx, run: Run) -> DryRun:
        """Take every step of a new *run* of a workflow; nothing of it stays, is announced, or sent."""

    @abstractmethod
    def run_card(self, tx: Tx, call: Call, card: Card) -> bytes:
        """Run the tool of *card* by the approver's *call*, and return its answer, as JSON.

        Raises what the tool refuses, of which nothing is done then; `UnknownTool` where there is no such tool
        any more; and `Conflict` for one whose answer cannot be kept on a card.
        """


def runner_of(call: Call) -> Runner:
    """The runner that *call* was given. Raises `TypeError` if it was given none."""
    runner = call.installation.runner
    if not isinstance(runner, Runner):
        raise TypeError("this call came through no door, so it can have no tools run")
    return runner
