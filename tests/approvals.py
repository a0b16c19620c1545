"""Approvals for tests: cards as an agent asks for them, in conversations of one connection."""

from typing import Any

import msgspec

from svc.domain.approvals.cards import AskedByAgent, Card
from svc.domain.identity.callers import Call, Caller
from svc.domain.identity.roles import PERMISSIONS
from svc.storage.approvals import approvals
from svc.storage.channels import conversations
from svc.storage.channels.tables import connections
from svc.storage.store import Tx
from tests.channels import a_connection

REASON = "The customer asks for it."


def agent_call(organization_id: str) -> Call:
    """A call of an organization's agent."""
    caller = Caller(
        organization_id=organization_id, kind="agent", id="agent", person_id=None, permissions=PERMISSIONS
    )
    return Call(caller=caller, door="inside")


def asked_in(tx: Tx, /, organization_id: str, chat: str = "chat-1", run: str = "agr_1") -> AskedByAgent:
    """The run of an agent in that conversation, which is opened if there is none."""
    connection_id = tx.conn.scalar(
        connections.select()
        .with_only_columns(connections.c.id)
        .where(connections.c.organization_id == organization_id)
    )
    if connection_id is None:
        connection_id = a_connection(tx, organization_id).id
    conversation = conversations.get_or_create(tx, organization_id, connection_id, chat)
    return AskedByAgent(connection_id=connection_id, conversation_id=conversation.id, run_id=run)


def a_card(
    tx: Tx, /, organization_id: str, tool: str, body: Any, *, chat: str = "chat-1", run: str = "agr_1"
) -> Card:
    """A card that an agent's run has asked for."""
    asked_by = asked_in(tx, organization_id, chat, run)
    call = agent_call(organization_id)
    return approvals.ask(tx, call, asked_by, tool, msgspec.json.encode(body), reason=REASON)
