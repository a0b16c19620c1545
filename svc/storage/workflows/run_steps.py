"""Steps of runs: what each was given, what it made, and how it ended."""

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.storage.readable import each
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.upserts import insert_or_replace
from svc.storage.workflows import tables
from svc.storage.workflows.run_rows import as_bytes

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


class _StepRow(NamedTuple):
    """The row of a step."""

    id: str
    """The run's: what is logged of a row that cannot be read."""
    key: str
    type: str
    state: StepState
    input: bytes | None
    output: bytes | None
    error: bytes | None
    attempts: int
    started_at: int
    ended_at: int | None


_steps = tables.workflow_steps
_COLUMNS: Final = (
    _steps.c.run_id.label("id"),
    _steps.c.key,
    _steps.c.type,
    _steps.c.state,
    *(as_bytes(_steps.c[name]) for name in ("input", "output", "error")),
    _steps.c.attempts,
    _steps.c.started_at,
    _steps.c.ended_at,
)
_ALL = Statement(
    sa.select(*_COLUMNS).where(_steps.c.run_id == sa.bindparam("run_id")).order_by(_steps.c.n), _StepRow
)
_WRITE = Statement(insert_or_replace(_steps, ["run_id", "key"]))
_NOTE_OUTPUT = Statement(
    sa.update(_steps)
    .where(_steps.c.run_id == sa.bindparam("of_run"), _steps.c.key == sa.bindparam("of_key"))
    .values(output=sa.bindparam("new_output"))
)

_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode


def list_all(conn: sa.Connection, run_id: str) -> list[RunStep]:
    """The steps that a run has begun, in their order; one that cannot be read is left out."""
    return each(_ALL.all(conn, run_id=run_id), _from_row, "workflow_steps")


def load(conn: sa.Connection, run_id: str) -> dict[str, RunStep]:
    """As `list_all`, by key, for the next step of the run. Raises `DecodeError`."""
    return {row.key: _from_row(row) for row in _ALL.all(conn, run_id=run_id)}


def write(tx: Tx, run_id: str, n: int, step: RunStep) -> None:
    """Insert or update a step, which is the one of index *n* that the run has begun."""
    facts = msgspec.structs.asdict(step)
    for name in ("input", "output", "error"):
        facts[name] = None if facts[name] is None else _encode(facts[name]).decode()
    _WRITE.run(tx.conn, {"run_id": run_id, "n": n, **facts})


def note_output(tx: Tx, run_id: str, key: str, output: Mapping[str, Any]) -> None:
    """Store what a waiting step waited for."""
    _NOTE_OUTPUT.run(tx.conn, of_run=run_id, of_key=key, new_output=_encode(output).decode())


def cancel(tx: Tx, of: "sa.Select[tuple[str]]") -> None:
    """End the waiting steps of the runs whose ids *of* selects."""
    tx.conn.execute(
        sa.update(_steps)
        .where(_steps.c.run_id.in_(of), _steps.c.state == "waiting")
        .values(state="cancelled", ended_at=tx.now)
    )


def copy(tx: Tx, from_run: str, to_run: str, *, but: str) -> None:
    """Give a run the steps that another has ended, all *but* the one with that key, to go on after them."""
    others = [column for column in _steps.c if column.name != "run_id"]
    ended = sa.select(sa.literal(to_run), *others).where(
        _steps.c.run_id == from_run, _steps.c.key != but, _steps.c.ended_at.is_not(None)
    )
    tx.conn.execute(sa.insert(_steps).from_select(["run_id", *(column.name for column in others)], ended))


def result_of(step: RunStep) -> dict[str, Any]:
    """What is at `steps.<key>` for the steps after it."""
    error = {} if step.error is None else {"error": step.error.get("detail")}
    return {**(step.output or {}), **error}


def _from_row(row: _StepRow) -> RunStep:
    facts = row._asdict()
    del facts["id"]
    for name in ("input", "output", "error"):
        facts[name] = None if facts[name] is None else _decode(facts[name])
    return RunStep(**facts)
