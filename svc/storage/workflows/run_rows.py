"""Rows of runs, and the runs that they are."""

from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.identity.access import Enabler
from svc.domain.workflows.contexts import Event
from svc.domain.workflows.runs import Awaited, RunProgress, RunState
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


class RunRow(NamedTuple):
    """The row of a run."""

    id: str
    organization_id: str
    workflow_id: str
    version: int
    state: RunState
    reason: str | None
    depth: int
    position: str | None
    wake_at: int | None
    awaits: Awaited | None
    awaited: str | None
    attempts: int
    event: bytes
    enabler: bytes
    started_at: int
    ended_at: int | None


def as_bytes(column: "sa.Column[str]") -> "sa.Label[bytes]":
    """The column so that text that is no UTF-8 fails alone."""
    return sa.cast(column, sa.LargeBinary).label(column.name)


COLUMNS: Final = tuple(
    as_bytes(tables.workflow_runs.c[name]) if name in {"event", "enabler"} else tables.workflow_runs.c[name]
    for name in RunRow._fields
)
_decode_event: Final = msgspec.json.Decoder(Event).decode
_decode_enabler: Final = msgspec.json.Decoder(Enabler).decode


def from_row(row: RunRow) -> Run:
    """The run of a row. Raises `DecodeError`."""
    return Run(
        id=row.id,
        organization_id=row.organization_id,
        workflow_id=row.workflow_id,
        version=row.version,
        progress=progress_of(row),
        awaited=row.awaited,
        event=_decode_event(row.event),
        enabler=_decode_enabler(row.enabler),
    )


def progress_of(row: RunRow) -> RunProgress:
    """How far the run of a row is."""
    return RunProgress(
        state=row.state,
        depth=row.depth,
        position=row.position,
        wake_at=row.wake_at,
        awaits=row.awaits,
        attempts=row.attempts,
        reason=row.reason,
        started_at=row.started_at,
        ended_at=row.ended_at,
    )
