"""Rows of runs, and the runs that they are."""

from typing import Any, Final, Protocol

import msgspec

from svc.domain.identity.access import Enabler
from svc.domain.workflows.expressions.contexts import Event
from svc.domain.workflows.runs import RunProgress
from svc.storage.rows import Rows, Selection
from svc.storage.workflows import tables


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """A run of one version of a workflow."""

    id: str
    organization_id: str
    workflow_id: str
    version: int
    progress: RunProgress
    awaited: str | None
    """The type of the event, or the id of the delivery or approval, that it waits for."""
    event: Event
    """What started it."""
    enabler: Enabler


class RunName(Protocol):
    """Which run, of which version of a workflow: of a run, or of its row."""

    @property
    def id(self) -> str: ...

    @property
    def organization_id(self) -> str: ...

    @property
    def workflow_id(self) -> str: ...

    @property
    def version(self) -> int: ...


class DueRow(RunName, Protocol):
    """The row of a run that is due, undecoded, with the document of its version."""

    @property
    def document(self) -> bytes: ...


_PROGRESS: Final = Selection(RunProgress, tables.workflow_runs)
RUNS: Final = Rows(
    tables.workflow_runs, Run, members={"progress": _PROGRESS}, beside=["started_by", "record_id"], alone=True
)
_PROGRESS_AT: Final = RUNS.fields.index("progress_state")


def run_of(row: Any) -> Run:
    """The run of a row. Raises `DecodeError`."""
    return RUNS.make(row)


def progress_of(row: Any) -> RunProgress:
    """How far the run of a row is, which need not be readable."""
    return _PROGRESS.make(row[_PROGRESS_AT:])
