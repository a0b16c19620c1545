"""Steps of runs: what each was given, what it made, and how it ended."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final, Literal

import msgspec
import sqlalchemy as sa

from svc.domain.workflows.documents import Wait
from svc.storage.readable import each
from svc.storage.rows import Rows, to_json
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.upserts import insert_or_replace
from svc.storage.workflows import tables

StepState = Literal["waiting", "done", "failed", "cancelled"]


class RunStep(msgspec.Struct, frozen=True, kw_only=True):
    """A step that a run has begun. Times are ms since the epoch."""

    key: str
    type: str
    state: StepState
    input: dict[str, Any] | None
    output: dict[str, Any] | None
    error: dict[str, Any] | None
    attempts: int
    started_at: int
    ended_at: int | None


_WAIT: Final = Wait.__struct_config__.tag
_steps = tables.workflow_steps
STEPS: Final = Rows(_steps, RunStep, beside=["run_id", "n"], alone=True)
# With the run's id, which is logged of a step that cannot be read.
_WITH_RUN: Final = sa.select(*STEPS.columns, _steps.c.run_id.label("id"))
_ALL: Statement[Any] = Statement(
    _WITH_RUN.where(_steps.c.run_id == sa.bindparam("run_id")).order_by(_steps.c.n)
)
_WRITE = Statement(insert_or_replace(_steps, ["run_id", "key"]))
_NOTE_OUTPUT = Statement(
    sa.update(_steps)
    .where(_steps.c.run_id == sa.bindparam("of_run"), _steps.c.key == sa.bindparam("of_key"))
    .values(output=sa.bindparam("new_output"))
)


def list_all(conn: sa.Connection, run_id: str) -> list[RunStep]:
    """The steps that a run has begun, in their order; one that cannot be read is left out."""
    return each(_ALL.all(conn, run_id=run_id), STEPS.make, "workflow_steps")


def load(conn: sa.Connection, run_id: str) -> dict[str, RunStep]:
    """As `list_all`, by key, for the next step of the run. Raises `DecodeError`."""
    return {row.key: STEPS.make(row) for row in _ALL.all(conn, run_id=run_id)}


def awaited_by(steps: Iterable[RunStep]) -> set[str]:
    """The types of the events that these *steps* have waited for."""
    return {step.input["event"] for step in steps if step.input is not None and "event" in step.input}


def awaited_events(conn: sa.Connection, run_ids: Collection[str]) -> dict[str, set[str]]:
    """As `awaited_by`, of all steps of these runs, by the run's id."""
    found: dict[str, set[str]] = {}
    if not run_ids:
        return found
    rows = conn.execute(_WITH_RUN.where(_steps.c.run_id.in_(run_ids), _steps.c.type == _WAIT))
    for run_id, step in each(rows, lambda row: (row.id, STEPS.make(row)), "workflow_steps"):
        found.setdefault(run_id, set()).update(awaited_by([step]))
    return found


def write(tx: Tx, run_id: str, n: int, step: RunStep) -> None:
    """Insert or update a step, which is the one of index *n* that the run has begun."""
    _WRITE.run(tx.conn, STEPS.values(step) | {"run_id": run_id, "n": n})


def note_output(tx: Tx, run_id: str, key: str, output: Mapping[str, Any]) -> None:
    """Store what a waiting step waited for."""
    _NOTE_OUTPUT.run(tx.conn, of_run=run_id, of_key=key, new_output=to_json(output))


def cancel(tx: Tx, of: "sa.Select[tuple[str]]") -> None:
    """End the waiting steps of the runs whose ids *of* selects."""
    tx.conn.execute(
        sa.update(_steps)
        .where(_steps.c.run_id.in_(of), _steps.c.state == "waiting")
        .values(state="cancelled", ended_at=tx.now)
    )


def copy(tx: Tx, from_run: str, to_run: str, keys: Collection[str]) -> None:
    """Give a run the steps with these *keys* that another has ended, to go on after them."""
    others = [column for column in _steps.c if column.name != "run_id"]
    ended = sa.select(sa.literal(to_run), *others).where(
        _steps.c.run_id == from_run, _steps.c.key.in_(keys), _steps.c.ended_at.is_not(None)
    )
    tx.conn.execute(sa.insert(_steps).from_select(["run_id", *(column.name for column in others)], ended))


def result_of(step: RunStep) -> dict[str, Any]:
    """What is at `steps.<key>` for the steps after it."""
    error = {} if step.error is None else {"error": step.error.get("detail")}
    return {**(step.output or {}), **error}
