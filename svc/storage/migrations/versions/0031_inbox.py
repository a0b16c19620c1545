"""Inboxes: what members have read, drafts, notes and saved replies; snoozes, and indexes of the lists."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def _only_where(condition: str) -> dict[str, Any]:
    return {"sqlite_where": sa.text(condition), "postgresql_where": sa.text(condition)}


def _of_a_conversation() -> tuple[sa.Column[str], sa.Column[str]]:
    return (
        sa.Column("organization_id", sa.Text(), sa.ForeignKey("organizations.id"), nullable=False),
        sa.Column("conversation_id", sa.Text(), sa.ForeignKey("conversations.id"), nullable=False),
    )


def upgrade() -> None:
    op.create_table(
        "conversation_reads",
        *_of_a_conversation(),
        sa.Column("person_id", sa.Text(), sa.ForeignKey("people.id"), nullable=False),
        sa.Column("read_to", sa.Text(), nullable=False),
        sa.Column("mentioned_in", sa.Text()),
        sa.PrimaryKeyConstraint("conversation_id", "person_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "conversation_drafts",
        *_of_a_conversation(),
        sa.Column("person_id", sa.Text(), sa.ForeignKey("people.id"), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("saved_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("conversation_id", "person_id"),
    )
    op.create_index("ix_conversation_drafts_saved_at", "conversation_drafts", ["saved_at"])
    op.create_table(
        "conversation_notes",
        sa.Column("id", sa.Text(), primary_key=True),
        *_of_a_conversation(),
        sa.Column("author_kind", sa.Text(), nullable=False),
        sa.Column("author_id", sa.Text()),
        sa.Column("author_name", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("mentions", sa.Text()),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
    )
    op.create_index(
        "ix_conversation_notes_conversation_id_id", "conversation_notes", ["conversation_id", "id"]
    )
    op.create_table(
        "reply_templates",
        sa.Column("id", sa.Text(), primary_key=True),
        sa.Column("organization_id", sa.Text(), sa.ForeignKey("organizations.id"), nullable=False),
        sa.Column("person_id", sa.Text(), sa.ForeignKey("people.id"), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("shared", sa.Boolean(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
    )
    op.create_index("ix_reply_templates_organization_id", "reply_templates", ["organization_id"])

    op.add_column("replies", sa.Column("sent_again_as", sa.Text()))
    op.add_column(
        "conversations", sa.Column("active_at", sa.BigInteger(), nullable=False, server_default="0")
    )
    op.add_column("conversations", sa.Column("snoozed_until", sa.BigInteger()))
    op.execute("UPDATE conversations SET active_at = last_message_at")
    op.drop_index("ix_conversations_organization_id_last_message_at_id", "conversations")
    for name, columns, condition in (
        ("ix_conversations_organization_id_active_at_id", ["active_at", "id"], None),
        ("ix_conversations_organization_id_status_active_at_id", ["status", "active_at", "id"], None),
        ("ix_conversations_of_members", ["status", "member_id", "active_at", "id"], None),
        ("ix_conversations_held", ["active_at", "id"], "held_reason IS NOT NULL"),
        ("ix_conversations_snoozed", ["snoozed_until"], "snoozed_until IS NOT NULL"),
    ):
        only = {} if condition is None else _only_where(condition)
        op.create_index(name, "conversations", ["organization_id", *columns], **only)
