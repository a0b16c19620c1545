"""Agents of the examples: one that is set, a run of it that replied, and one that may be stopped."""

from typing import Final

from svc.demo.ai import DEMO_MODEL
from svc.domain.agent.agents import Agent
from svc.domain.agent.limits import AGENT_BEGINS_MS_MAX, AGENT_DAILY_MICRO_CREDITS
from svc.domain.agent.runs import ModelAnswer
from svc.domain.channels.connections import Account
from svc.domain.channels.messages import InboundMessage, Sender
from svc.domain.identity.callers import Call, Installation
from svc.domain.locale.times import MINUTE_MS, YEAR_MS
from svc.runs.agent import run_execution
from svc.runs.agent.run_actions import AnswerOfModel, Ask
from svc.storage.agent import agents, runs
from svc.storage.channels import connections, messages
from svc.storage.channels.connections import NewConnection
from svc.storage.store import Tx
from svc.tools.catalogue import REGISTRY

AGENT_RUN: Final = "agr_01K5D3V7Q2M8Z4X6C9B1N0T5RA"
_CONNECTION: Final = "con_01K5D3V7Q2M8Z4X6C9B1N0T5RA"


def examples(tx: Tx, call: Call) -> dict[str, dict[str, str]]:
    """Create what the examples of agents name; by tool, the ids for those that they have."""
    organization_id = call.caller.organization_id
    new = NewConnection(
        name="Shop on Matrix", account=Account("organization"), messenger="matrix", delivery="pull"
    )
    # All of it has happened: the clock is never before what is stored.
    earlier = tx.at(tx.now - 10 * MINUTE_MS)
    connection, _ = connections.create(earlier, organization_id, new)
    agents.save(earlier, _agent(earlier, call, connection.id))
    answered = _hear(earlier, organization_id, connection.id, "4201", "Do you repair brass lamps?")
    replied = _reply(earlier.at(earlier.now + AGENT_BEGINS_MS_MAX), answered)
    waiting = _hear(earlier, organization_id, connection.id, "4202", "I will write again next year.")
    runs.put_off(tx, waiting, tx.now + YEAR_MS)
    stoppable = runs.find_open(tx.conn, waiting)
    assert stoppable is not None  # noqa: S101  # it waits for a year
    return {
        "*": {AGENT_RUN: replied},
        "agent.get": {_CONNECTION: connection.id},
        "agent.set": {_CONNECTION: connection.id},
        "agent.run_stop": {AGENT_RUN: stoppable.id},
    }


def _agent(tx: Tx, call: Call, connection_id: str) -> Agent:
    assert call.caller.person_id is not None  # noqa: S101  # the owner calls
    return Agent(
        connection_id=connection_id,
        organization_id=call.caller.organization_id,
        enabled=True,
        instructions="You answer for a shop that repairs lamps. Be short and friendly.",
        model=DEMO_MODEL,
        role_id="viewer",
        tools=None,
        daily_micro_credits=AGENT_DAILY_MICRO_CREDITS,
        set_by=call.caller.person_id,
        created_at=tx.now,
        updated_at=tx.now,
    )


def _hear(tx: Tx, organization_id: str, connection_id: str, chat: str, text: str) -> str:
    """The conversation in which a stranger says *text*, for the agent to answer."""
    message = InboundMessage(
        conversation_id=chat, message_id="1", direction="in", sender=Sender(name="Robin"), text=text
    )
    conversation = messages.receive(tx, organization_id, connection_id, message).conversation
    runs.note_due(tx, conversation)
    return conversation


def _reply(tx: Tx, conversation_id: str) -> str:
    """Have the agent reply as its model would, and return the run."""
    installation = Installation(registry=REGISTRY)
    asked = run_execution.advance(tx, installation, conversation_id)
    assert isinstance(asked, Ask)  # noqa: S101  # it has nothing else to do
    said = ModelAnswer(text="Echo: Do you repair brass lamps?")
    outcome = AnswerOfModel(asked.run_id, asked.n, said, None, charged=0)
    run_execution.advance(tx, installation, conversation_id, outcome)
    return asked.run_id
