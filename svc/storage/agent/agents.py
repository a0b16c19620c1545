"""Agents, as they are set for connections."""

from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.domain.agent.agents import Agent
from svc.domain.errors import Unreadable
from svc.domain.locale.times import day_of
from svc.storage.agent import tables
from svc.storage.readable import each
from svc.storage.rows import Rows
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.upserts import insert_or_replace

_agents, _days = tables.agents, tables.agent_days
AGENTS: Final = Rows(_agents, Agent)
_GET = AGENTS.prepared(AGENTS.select(_agents.c.connection_id == sa.bindparam("connection_id")))
_ENABLED: Statement[Any] = Statement(
    sa.select(_agents.c.connection_id).where(
        _agents.c.connection_id == sa.bindparam("connection_id"), _agents.c.enabled
    )
)
_SET = Statement(insert_or_replace(_agents, ["connection_id"]))
_SPENT: Statement[Any] = Statement(
    sa.select(_days.c.charged_micro_credits).where(
        _days.c.connection_id == sa.bindparam("connection_id"), _days.c.day == sa.bindparam("day")
    )
)
_SPEND = Statement(insert_or_replace(_days, ["connection_id", "day"]))


def find(conn: sa.Connection, connection_id: str) -> Agent | None:
    """The agent of a connection, if it was ever set. Raises `Unreadable`."""
    try:
        return _GET.one(conn, connection_id=connection_id)
    except msgspec.DecodeError as error:
        raise Unreadable(f"what is stored of the agent's tools cannot be read: {error}") from None


def list_all(conn: sa.Connection, organization_id: str) -> list[Agent]:
    """The organization's agents, by their connections; one that cannot be read is left out."""
    rows = conn.execute(
        AGENTS.select(_agents.c.organization_id == organization_id).order_by(_agents.c.connection_id)
    )
    return [*each(rows, AGENTS.make, "agents")]


def is_enabled(conn: sa.Connection, connection_id: str) -> bool:
    """Whether an agent answers the connection's conversations."""
    return _ENABLED.one(conn, connection_id=connection_id) is not None


def save(tx: Tx, agent: Agent) -> None:
    """Store how an agent is set, in place of how it was."""
    _SET.run(tx.conn, AGENTS.values(agent))


def spent(conn: sa.Connection, connection_id: str, now: int) -> int:
    """What the runs of a connection's agent took on the day of *now* (UTC), in micro-credits."""
    row = _SPENT.one(conn, connection_id=connection_id, day=day_of(now))
    return 0 if row is None else int(row.charged_micro_credits)


def spend(tx: Tx, agent: Agent, micro_credits: int) -> None:
    """Count what a call of the model took."""
    total = spent(tx.conn, agent.connection_id, tx.now) + micro_credits
    _SPEND.run(
        tx.conn,
        connection_id=agent.connection_id,
        day=day_of(tx.now),
        organization_id=agent.organization_id,
        charged_micro_credits=total,
    )
