"""What rows of the person's own become that stay, because others refer to them."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.storage.channels import tables as channels_tables
from svc.storage.forms import tables as forms_tables
from svc.storage.forms.submissions import ERASED
from svc.storage.workflows import tables as workflows_tables


def _empty_submission(_row: Any) -> dict[str, Any]:
    gone = dict.fromkeys(
        (
            *("visitors", "email", "phone", "name", "queued_at", "paced_at", "filed_at", "filed_by"),
            *("held_reason", "candidates", "contact_id", "deal_id"),
            *("discarded_from", "discarded_at", "discarded_by", "restored_at"),
        )
    )
    return gone | {"state": ERASED, "sender": "", "fields": "{}", "recognised": "[]", "mapped": "{}"}


def _empty_conversation(row: Any) -> dict[str, Any]:
    gone = dict.fromkeys(
        (
            *("title", "contact_id", "held_reason", "candidates", "agent_silenced_at", "agent_silenced_by"),
            *("agent_silencer", "agent_reason", "agent_reads_from"),
        )
    )
    # The messenger's id is unique; under another one, what comes later begins a new conversation.
    return gone | {"external_id": f"erased {row.id}", "evidence": "{}", "status": "closed"}


def _empty_run(row: Any) -> dict[str, Any]:
    try:
        event = msgspec.json.decode(row.event, type=dict[str, Any])
    except msgspec.DecodeError:
        event = {}
    kept = {name: event.get(name) for name in ("id", "type", "timestamp", "organizationId")}
    return {"event": msgspec.json.encode({**kept, "data": {}}).decode(), "reason": None}


def _empty_step(_row: Any) -> dict[str, Any]:
    return {"input": None, "output": None, "error": None}


EMPTIED: Final[Mapping[sa.Table, Callable[[Any], dict[str, Any]]]] = {
    forms_tables.submissions: _empty_submission,
    channels_tables.conversations: _empty_conversation,
    workflows_tables.workflow_runs: _empty_run,
    workflows_tables.workflow_steps: _empty_step,
}
"""What rows of the person's own are emptied to; all others are deleted."""
