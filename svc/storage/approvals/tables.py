"""The table of approvals."""

from typing import Any, Final

import sqlalchemy as sa

from svc.domain.approvals.limits import APPROVAL_SECONDS, APPROVAL_SECONDS_MAX
from svc.domain.locale.times import SECOND_MS
from svc.storage import schema

_LIVES: Final = schema.AheadByRow(
    (
        schema.Ahead(APPROVAL_SECONDS_MAX * SECOND_MS, where="asker_kind = 'workflow'"),
        schema.Ahead(APPROVAL_SECONDS * SECOND_MS, where="asker_kind <> 'workflow'"),
    )
)
"""A workflow's card waits as long as its step says."""

approvals: Final = schema.table(
    "approvals",
    schema.id_(),
    schema.of_organization(),
    # One that waits has expired once its time is over; it may still say `waiting` here.
    schema.word("state"),
    # NULL for a workflow's card, as are the input and its digest.
    schema.word("tool", null=True),
    # JSON, as it was asked.
    schema.json("input", dict[str, Any], schema.SCRUBBED, null=True, blank="{}"),
    schema.blob("fingerprint", stays=schema.COMPARED, null=True),
    schema.text("reason", schema.SCRUBBED),
    schema.word("asker_kind"),
    schema.ref("connection_id", "connections.id", null=True),
    schema.ref("conversation_id", "conversations.id", null=True, own="conversations"),
    # Workflows, and runs of both kinds, are deleted before their cards.
    schema.word("workflow_id", null=True),
    schema.word("run_id"),
    schema.past("created_at"),
    schema.time("expires_at", _LIVES),
    # When it was decided or withdrawn; else when it expires.
    schema.time("over_at", _LIVES),
    schema.word("decided_by", null=True),
    schema.past("decided_at", null=True),
    # JSON, each.
    schema.json("answer", dict[str, Any], schema.SCRUBBED, null=True, blank=schema.ERASED_JSON),
    schema.json("error", dict[str, Any], schema.SCRUBBED, null=True, blank=schema.ERASED_JSON),
    schema.text("rejection_reason", schema.SCRUBBED, null=True),
    # When it was decided, until what asked has gone on from it.
    schema.past("uncollected_since", null=True, stays=schema.INTERNAL),
    sa.Index("ix_approvals_organization_id_id", "organization_id", "id"),
    sa.Index("ix_approvals_organization_id_state_id", "organization_id", "state", "id"),
    schema.PartialIndex(
        "ix_approvals_waiting",
        "organization_id",
        "asker_kind",
        "over_at",
        where="state = 'waiting'",
    ),
    schema.PartialIndex("ix_approvals_conversation_id", "conversation_id", where="state = 'waiting'"),
    sa.Index("ix_approvals_run_id", "run_id"),
    sa.Index("ix_approvals_over_at", "over_at"),
    schema.PartialIndex(
        "ix_approvals_uncollected",
        "asker_kind",
        "organization_id",
        "uncollected_since",
        where="uncollected_since IS NOT NULL",
    ),
    leaves=schema.ExportFile(
        "approvals", "What an agent or a workflow asked a person for, and what the person decided."
    ),
    life=schema.PRUNED,
)
