"""Handing a conversation over: the agent is silent from then on, and a person answers."""

from svc.domain.agent.runs import RunState
from svc.domain.events import NewEvent, agent_source
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
    data = {
        "conversationId": run.conversation_id,
        "connectionId": run.connection_id,
        "contactId": conversation.contact_id,
        "runId": run.id,
        "reason": reason,
    }
    event = NewEvent(type="conversation.handed_over", subject=run.conversation_id, source=source, data=data)
    events.record(tx, run.organization_id, [event])
    runs.end(tx, run, state, reason)
