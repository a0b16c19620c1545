"""Agents, as they are set for connections."""

from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.agent.agents import Agent
from svc.domain.errors import Unreadable
from svc.domain.times import day_of
from svc.storage.agent import tables
from svc.storage.statements import Statement
from svc.storage.store import Tx
from svc.storage.upserts import insert_or_replace


class _AgentRow(NamedTuple):
    """An agent's row."""

    connection_id: str
    organization_id: str
    enabled: bool
    instructions: str
    model: str
    role_id: str
    tools: str | None
    daily_micro_credits: int
    set_by: str
    created_at: int
    updated_at: int


class _DayRow(NamedTuple):
    """What an agent took in a day."""

    charged_micro_credits: int


_agents, _days = tables.agents, tables.agent_days
_GET = Statement(
    sa.select(*(_agents.c[name] for name in _AgentRow._fields)).where(
        _agents.c.connection_id == sa.bindparam("connection_id")
    ),
    _AgentRow,
)
_ENABLED: Statement[Any] = Statement(
    sa.select(_agents.c.connection_id).where(
        _agents.c.connection_id == sa.bindparam("connection_id"), _agents.c.enabled
    )
)
_SET = Statement(insert_or_replace(_agents, ["connection_id"]))
_SPENT = Statement(
    sa.select(_days.c.charged_micro_credits).where(
        _days.c.connection_id == sa.bindparam("connection_id"), _days.c.day == sa.bindparam("day")
    ),
    _DayRow,
)
_SPEND = Statement(insert_or_replace(_days, ["connection_id", "day"]))
_decode_tools: Final = msgspec.json.Decoder(tuple[str, ...]).decode


def find(conn: sa.Connection, connection_id: str) -> Agent | None:
    """The agent of a connection, if it was ever set. Raises `Unreadable`."""
    row = _GET.one(conn, connection_id=connection_id)
    if row is None:
        return None
    try:
        tools = None if row.tools is None else _decode_tools(row.tools)
    except msgspec.DecodeError as error:
        raise Unreadable(f"what is stored of the agent's tools cannot be read: {error}") from None
    return Agent(**(row._asdict() | {"tools": tools, "enabled": bool(row.enabled)}))


def is_enabled(conn: sa.Connection, connection_id: str) -> bool:
    """Whether an agent answers the connection's conversations."""
    return _ENABLED.one(conn, connection_id=connection_id) is not None


def save(tx: Tx, agent: Agent) -> None:
    """Store how an agent is set, in place of how it was."""
    facts: dict[str, Any] = msgspec.structs.asdict(agent)
    facts["tools"] = None if agent.tools is None else msgspec.json.encode(agent.tools).decode()
    _SET.run(tx.conn, facts)


def spent(conn: sa.Connection, connection_id: str, now: int) -> int:
    """What the runs of a connection's agent took on the day of *now* (UTC), in micro-credits."""
    row = _SPENT.one(conn, connection_id=connection_id, day=day_of(now))
    return 0 if row is None else row.charged_micro_credits


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
