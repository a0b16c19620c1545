"""Handing a conversation over: the agent is silent from then on, and a person answers."""

from svc.domain.agent.runs import RunState
from svc.domain.channels.events import ConversationHandedOver
from svc.domain.events import agent_source
from svc.storage.agent import runs
from svc.storage.agent.runs import Run
from svc.storage.channels import conversations, silences
from svc.storage.events import events
from svc.storage.store import Tx


def hand_over(tx: Tx, run: Run, reason: str, *, state: RunState = "handed_over") -> None:
    """End *run* in *state*: the agent is silent, the conversation is marked, an event says so."""
    source = agent_source(run.connection_id, run.conversation_id, run.id)
    silences.silence(tx, run.conversation_id, "handed_over", source=source, reason=reason)
    conversation = conversations.get(tx.conn, run.organization_id, run.conversation_id)
    event = ConversationHandedOver(
        conversation_id=run.conversation_id,
        connection_id=run.connection_id,
        contact_id=conversation.contact_id,
        run_id=run.id,
        reason=reason,
        source=source,
    )
    events.record(tx, run.organization_id, [event])
    runs.end(tx, run, state, reason)
