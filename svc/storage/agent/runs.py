"""Runs of agents: rows, one open at a time in a conversation."""

from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.agent.limits import AGENT_REPLIES_MAX, AGENT_REPLIES_WINDOW_MS
from svc.domain.agent.runs import RunState, begins_at
from svc.domain.changes import AgentDue, ResourceChanged
from svc.domain.errors import Conflict, NotFound
from svc.domain.ids import AGENT_RUN
from svc.domain.input.near_names import shown
from svc.domain.limits import LIST_ROWS
from svc.storage.agent import tables
from svc.storage.channels import tables as channels_tables
from svc.storage.pages import Keyset
from svc.storage.rows import Rows
from svc.storage.statements import Statement
from svc.storage.store import Tx, View


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """A run. Times are ms since the epoch."""

    id: str
    organization_id: str
    connection_id: str
    conversation_id: str
    state: RunState
    reason: str | None = None
    """Why it has ended."""
    first_at: int
    wake_at: int | None
    worked_ms: int = 0
    charged_micro_credits: int = 0
    message_id: str | None = None
    """The reply that it wrote."""
    created_at: int
    started_at: int | None = None
    ended_at: int | None = None


class _Conversation(NamedTuple):
    """A conversation, and whether its agent answers in it."""

    organization_id: str
    connection_id: str


class DueConversation(NamedTuple):
    """A conversation in which an agent has something to do."""

    organization_id: str
    conversation_id: str


_runs, _agents = tables.agent_runs, tables.agents
_conversations = channels_tables.conversations
RUNS: Final = Rows(_runs, Run)
_GET = RUNS.prepared(
    RUNS.select(
        _runs.c.id == sa.bindparam("run_id"), _runs.c.organization_id == sa.bindparam("organization_id")
    )
)
_OPEN = RUNS.prepared(
    RUNS.select(_runs.c.conversation_id == sa.bindparam("conversation_id"), _runs.c.ended_at.is_(None))
)
_ANSWERED = Statement(
    sa.select(_conversations.c.organization_id, _conversations.c.connection_id)
    .join(_agents, _agents.c.connection_id == _conversations.c.connection_id)
    .where(
        _conversations.c.id == sa.bindparam("conversation_id"),
        _conversations.c.kind == "direct",
        _conversations.c.agent_silenced_at.is_(None),
        _agents.c.enabled,
    ),
    _Conversation,
)
_PUT_OFF = Statement(
    sa.update(_runs)
    .where(_runs.c.id == sa.bindparam("run_id"), _runs.c.state == "waiting")
    .values(wake_at=sa.bindparam("at"))
)
_BEGIN = Statement(
    sa.update(_runs)
    .where(_runs.c.id == sa.bindparam("run_id"))
    .values(state="running", started_at=sa.bindparam("at"))
)
_WORK = Statement(
    sa.update(_runs)
    .where(_runs.c.id == sa.bindparam("run_id"))
    .values(worked_ms=sa.bindparam("new_worked_ms"), charged_micro_credits=sa.bindparam("new_charged"))
)
_END = Statement(
    sa.update(_runs)
    .where(_runs.c.id == sa.bindparam("run_id"), _runs.c.ended_at.is_(None))
    .values(
        state=sa.bindparam("new_state"),
        reason=sa.bindparam("new_reason"),
        message_id=sa.bindparam("new_message_id"),
        wake_at=None,
        ended_at=sa.bindparam("at"),
    )
)
_REPLIED = Statement(
    sa.select(_runs.c.id)
    .where(
        _runs.c.conversation_id == sa.bindparam("conversation_id"),
        _runs.c.state == "replied",
        _runs.c.ended_at > sa.bindparam("since"),
    )
    .limit(AGENT_REPLIES_MAX)
)
_DUE = Statement(
    sa.select(_runs.c.organization_id, _runs.c.conversation_id)
    .where(_runs.c.wake_at <= sa.bindparam("until"))
    .order_by(_runs.c.wake_at),
    DueConversation,
)


def note_due(tx: Tx, conversation_id: str, *, at_once: bool = False) -> None:
    """Have the agent look at a conversation, in which something came that it is to answer.

    A run that waits begins somewhat later, so that a burst is answered once. Nothing is due if no agent
    answers there, nor if a run is under way: that reads what came before it replies.
    """
    answered = _ANSWERED.one(tx.conn, conversation_id=conversation_id)
    if answered is None:
        return
    open_run = find_open(tx.conn, conversation_id)
    if open_run is None:
        _insert(tx, answered, conversation_id, tx.now if at_once else begins_at(tx.now, tx.now))
    elif open_run.state == "waiting":
        at = tx.now if at_once else begins_at(open_run.first_at, tx.now)
        _PUT_OFF.run(tx.conn, run_id=open_run.id, at=at)
    else:
        return
    tx.announce(AgentDue(answered.organization_id, conversation_id))


def get(conn: sa.Connection, organization_id: str, run_id: str) -> Run:
    """The run. Raises `NotFound`."""
    run = _GET.one(conn, run_id=run_id, organization_id=organization_id)
    if run is None:
        raise NotFound(f"there is no run {shown(run_id)}")
    return run


def find_open(conn: sa.Connection, conversation_id: str) -> Run | None:
    """The run of a conversation that has not ended, if there is one."""
    return _OPEN.one(conn, conversation_id=conversation_id)


def list_page(
    view: View,
    organization_id: str,
    *,
    conversation_id: str | None = None,
    connection_id: str | None = None,
    state: RunState | None = None,
    cursor: str | None = None,
    limit: int = LIST_ROWS,
) -> tuple[list[Run], str | None]:
    """The organization's runs, the newest first, and the cursor that goes on.

    Raises `InvalidInput` for a cursor that is none, and `TakesLong` where runs have to be looked through and
    the view is not patient.
    """
    keyset = Keyset(["agent runs", conversation_id, connection_id, state], cursor, limit)
    if connection_id is not None or state is not None:
        view.expect_long()
    given = {"conversation_id": conversation_id, "connection_id": connection_id, "state": state}
    wanted = RUNS.select(
        _runs.c.organization_id == organization_id,
        *(_runs.c[name] == value for name, value in given.items() if value is not None),
    )
    rows, next_cursor = keyset.fetch(view.conn, wanted, _runs.c.id, newest_first=True)
    return [*map(RUNS.make, rows)], next_cursor


def put_off(tx: Tx, conversation_id: str, at: int) -> None:
    """Have the run that waits in a conversation begin at *at*."""
    open_run = find_open(tx.conn, conversation_id)
    if open_run is not None:
        _PUT_OFF.run(tx.conn, run_id=open_run.id, at=at)


def begin(tx: Tx, run: Run) -> Run:
    """Begin a run that waits."""
    _BEGIN.run(tx.conn, run_id=run.id, at=tx.now)
    _announce(tx, run.organization_id, run.id)
    return msgspec.structs.replace(run, state="running", started_at=tx.now)


def note_work(tx: Tx, run: Run, worked_ms: int, charged: int) -> Run:
    """Add time and micro-credits to what a run has taken."""
    if not worked_ms and not charged:
        return run
    after = msgspec.structs.replace(
        run, worked_ms=run.worked_ms + worked_ms, charged_micro_credits=run.charged_micro_credits + charged
    )
    _WORK.run(tx.conn, run_id=run.id, new_worked_ms=after.worked_ms, new_charged=after.charged_micro_credits)
    _announce(tx, run.organization_id, run.id)
    return after


def end(
    tx: Tx, run: Run, state: RunState, reason: str | None = None, *, message_id: str | None = None
) -> None:
    """End a run that is open."""
    _END.run(tx.conn, run_id=run.id, new_state=state, new_reason=reason, new_message_id=message_id, at=tx.now)
    _announce(tx, run.organization_id, run.id)


def stop(tx: Tx, organization_id: str, run_id: str) -> Run:
    """Stop a run, as a person wishes. Raises `NotFound`, and `Conflict` where it has ended."""
    run = get(tx.conn, organization_id, run_id)
    if run.ended_at is not None:
        raise Conflict(f"the run has ended already: it is {run.state}")
    end(tx, run, "stopped", "a person stopped it")
    tx.announce(AgentDue(organization_id, run.conversation_id))
    return get(tx.conn, organization_id, run_id)


def stop_all(tx: Tx, organization_id: str) -> None:
    """Stop every run of an organization that is closed, and switch its agents off."""
    tx.conn.execute(
        sa.update(_agents).where(_agents.c.organization_id == organization_id).values(enabled=False)
    )
    open_ = (_runs.c.organization_id == organization_id, _runs.c.ended_at.is_(None))
    under_way = sa.select(_runs.c.conversation_id).where(*open_, _runs.c.state == "running")
    for conversation_id in tx.conn.scalars(under_way.order_by(_runs.c.id)):
        tx.announce(AgentDue(organization_id, conversation_id))
    tx.conn.execute(
        sa.update(_runs)
        .where(*open_)
        .values(state="stopped", reason="the organization is closed", wake_at=None, ended_at=tx.now)
    )


def _announce(tx: Tx, organization_id: str, run_id: str) -> None:
    """Tell the screens that a run was changed."""
    tx.announce(ResourceChanged(organization_id, "agent", run_id))


def has_replied_enough(conn: sa.Connection, conversation_id: str, now: int) -> bool:
    """Whether the agent has written as many replies in a conversation as it may within an hour."""
    since = now - AGENT_REPLIES_WINDOW_MS
    replied = _REPLIED.all(conn, conversation_id=conversation_id, since=since)
    return len(replied) >= AGENT_REPLIES_MAX


def conversations_due(conn: sa.Connection, until: int) -> list[DueConversation]:
    """The conversations with a run that begins by *until*, or was under way, the first ones first."""
    return _DUE.all(conn, until=until)


def _insert(tx: Tx, answered: _Conversation, conversation_id: str, at: int) -> None:
    run_id = tx.new_id(AGENT_RUN)
    _announce(tx, answered.organization_id, run_id)
    run = Run(
        id=run_id,
        organization_id=answered.organization_id,
        connection_id=answered.connection_id,
        conversation_id=conversation_id,
        state="waiting",
        first_at=tx.now,
        wake_at=at,
        created_at=tx.now,
    )
    RUNS.insert(tx.conn, run)
