"""Steps of agents' runs, each written once and ended once."""

from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.agent.runs import Step, StepKind, StepState
from svc.storage.agent import tables
from svc.storage.agent.runs import Run
from svc.storage.readable import each
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.upserts import insert_or_replace


class _StepRow(NamedTuple):
    """The row of a step."""

    id: str
    """The run's: what is logged of a row that cannot be read."""
    n: int
    kind: StepKind
    state: StepState
    tool: str | None
    call_id: str | None
    input: bytes | None
    answer: bytes | None
    charged_micro_credits: int
    read_to: str | None
    at: int


_steps = tables.agent_steps
_ALL = Statement(
    sa.select(
        _steps.c.run_id.label("id"),
        *(_steps.c[name] for name in ("n", "kind", "state", "tool", "call_id")),
        # As bytes, so that text that is no UTF-8 fails alone.
        *(sa.cast(_steps.c[name], sa.LargeBinary).label(name) for name in ("input", "answer")),
        *(_steps.c[name] for name in ("charged_micro_credits", "read_to", "at")),
    )
    .where(_steps.c.run_id == sa.bindparam("run_id"))
    .order_by(_steps.c.n),
    _StepRow,
)
_WRITE = Statement(insert_or_replace(_steps, ["run_id", "n"]))

_encode: Final = msgspec.json.Encoder().encode


def load(conn: sa.Connection, run_id: str) -> list[Step]:
    """The steps of a run, in their order. Raises `DecodeError`."""
    return [*map(_from_row, _ALL.all(conn, run_id=run_id))]


def list_all(conn: sa.Connection, run_id: str) -> list[Step]:
    """As `load`; a step that cannot be read is left out."""
    return each(_ALL.all(conn, run_id=run_id), _from_row, "agent_steps")


def write(tx: Tx, run: Run, step: Step) -> None:
    """Insert or update a step."""
    _WRITE.run(
        tx.conn,
        run_id=run.id,
        organization_id=run.organization_id,
        n=step.n,
        kind=step.kind,
        state=step.state,
        tool=step.tool,
        call_id=step.call_id,
        input=_json(step.input),
        answer=_json(step.answer),
        charged_micro_credits=step.charged,
        read_to=step.read_to,
        at=step.at,
    )


def _json(value: Any) -> str | None:
    return None if value is None else _encode(value).decode()


def _from_row(row: _StepRow) -> Step:
    return Step(
        n=row.n,
        kind=row.kind,
        state=row.state,
        tool=row.tool,
        call_id=row.call_id,
        input=None if row.input is None else msgspec.json.decode(row.input),
        answer=None if row.answer is None else msgspec.json.decode(row.answer),
        charged=row.charged_micro_credits,
        read_to=row.read_to,
        at=row.at,
    )
