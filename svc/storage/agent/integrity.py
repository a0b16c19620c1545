"""What must always hold of agents and their runs, for `svc check`."""

from collections.abc import Callable, Iterable
from typing import Final

import sqlalchemy as sa

from svc.domain.agent.runs import OPEN
from svc.storage.agent import tables
from svc.storage.channels import tables as channels_tables

_runs, _steps, _agents = tables.agent_runs, tables.agent_steps, tables.agents
_messages, _conversations = channels_tables.messages, channels_tables.conversations
_OPEN: Final = _runs.c.state.in_(sorted(OPEN))

Broken = Callable[[sa.Connection], Iterable[str]]
"""Names each violation."""


def _ids(column: "sa.Column[str]", *where: sa.ColumnElement[bool]) -> Broken:
    return lambda conn: conn.scalars(sa.select(column).where(*where))


INVARIANTS: Final[dict[str, Broken]] = {
    "every run of an agent that is open has a time when it is due, and no other has": _ids(
        _runs.c.id, sa.or_(_runs.c.wake_at.is_not(None) != _OPEN, _runs.c.ended_at.is_(None) != _OPEN)
    ),
    "every run of an agent that replied has its reply, and no other has": _ids(
        _runs.c.id, (_runs.c.state == "replied") != _runs.c.message_id.is_not(None)
    ),
    "every reply of an agent is that of one run": _ids(
        _messages.c.id,
        _messages.c.author_kind == "agent",
        _messages.c.author_id.in_(sa.select(_runs.c.id)),
        ~sa.exists().where(_runs.c.id == _messages.c.author_id, _runs.c.message_id == _messages.c.id),
    ),
    "every run of an agent is of the connection of its conversation": _ids(
        _runs.c.id,
        sa.exists().where(
            _conversations.c.id == _runs.c.conversation_id,
            _conversations.c.connection_id != _runs.c.connection_id,
        ),
    ),
    "no step of a run of an agent that has ended is under way, unless it was cut off": _ids(
        _steps.c.run_id,
        _steps.c.state == "running",
        sa.exists().where(_runs.c.id == _steps.c.run_id, _runs.c.state == "replied"),
    ),
    "every conversation that an agent is silent in says why": _ids(
        _conversations.c.id,
        _conversations.c.agent_silenced_at.is_(None) != _conversations.c.agent_silenced_by.is_(None),
    ),
}
"""Checks by invariant. Each reads all rows of its tables."""
