"""The table of approvals."""

from typing import Final

import sqlalchemy as sa

from svc.storage.schema import metadata, of_organization, only_where

approvals: Final = sa.Table(
    "approvals",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    of_organization(),
    # One that waits has expired once its time is over; it may still say `waiting` here.
    sa.Column("state", sa.Text, nullable=False),
    # NULL for a workflow's card, as are the input and its digest.
    sa.Column("tool", sa.Text),
    # JSON, as it was asked.
    sa.Column("input", sa.Text),
    sa.Column("fingerprint", sa.LargeBinary),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("asker_kind", sa.Text, nullable=False),
    sa.Column("connection_id", sa.Text, sa.ForeignKey("connections.id")),
    sa.Column("conversation_id", sa.Text, sa.ForeignKey("conversations.id")),
    # Workflows, and runs of both kinds, are deleted before their cards.
    sa.Column("workflow_id", sa.Text),
    sa.Column("run_id", sa.Text, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("expires_at", sa.BigInteger, nullable=False),
    # When it was decided or withdrawn; else when it expires.
    sa.Column("over_at", sa.BigInteger, nullable=False),
    sa.Column("decided_by", sa.Text),
    sa.Column("decided_at", sa.BigInteger),
    # JSON, each.
    sa.Column("answer", sa.Text),
    sa.Column("error", sa.Text),
    sa.Column("rejection_reason", sa.Text),
    # When it was decided, until what asked has gone on from it.
    sa.Column("uncollected_since", sa.BigInteger),
    sa.Index("ix_approvals_organization_id_id", "organization_id", "id"),
    sa.Index("ix_approvals_organization_id_state_id", "organization_id", "state", "id"),
    sa.Index(
        "ix_approvals_waiting", "organization_id", "asker_kind", "over_at", **only_where("state = 'waiting'")
    ),
    sa.Index("ix_approvals_conversation_id", "conversation_id", **only_where("state = 'waiting'")),
    sa.Index("ix_approvals_run_id", "run_id"),
    sa.Index("ix_approvals_over_at", "over_at"),
    sa.Index(
        "ix_approvals_uncollected",
        "asker_kind",
        "organization_id",
        "uncollected_since",
        **only_where("uncollected_since IS NOT NULL"),
    ),
)
