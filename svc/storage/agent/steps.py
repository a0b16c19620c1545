"""Steps of agents' runs, each written once and ended once."""

from typing import Any, Final

import sqlalchemy as sa

from svc.domain.agent.runs import Step
from svc.storage.agent import tables
from svc.storage.agent.runs import Run
from svc.storage.readable import each
from svc.storage.rows import Rows
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.upserts import insert_or_replace

_steps = tables.agent_steps
STEPS: Final = Rows(
    _steps,
    Step,
    renamed={"charged": "charged_micro_credits"},
    beside=["run_id", "organization_id"],
    alone=True,
)
# With the run's id, which is logged of a step that cannot be read.
_ALL: Statement[Any] = Statement(
    sa.select(*STEPS.columns, _steps.c.run_id.label("id"))
    .where(_steps.c.run_id == sa.bindparam("run_id"))
    .order_by(_steps.c.n)
)
_WRITE = Statement(insert_or_replace(_steps, ["run_id", "n"]))


def load(conn: sa.Connection, run_id: str) -> list[Step]:
    """The steps of a run, in their order. Raises `DecodeError`."""
    return [*map(STEPS.make, _ALL.all(conn, run_id=run_id))]


def list_all(conn: sa.Connection, run_id: str) -> list[Step]:
    """As `load`; a step that cannot be read is left out."""
    return each(_ALL.all(conn, run_id=run_id), STEPS.make, "agent_steps")


def write(tx: Tx, run: Run, step: Step) -> None:
    """Insert or update a step."""
    beside = {"run_id": run.id, "organization_id": run.organization_id}
    _WRITE.run(tx.conn, STEPS.values(step) | beside)
