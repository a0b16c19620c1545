"""Mail: an outbox, what members want to be told, links that are mailed, and proven addresses."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def _only_where(condition: str) -> dict[str, Any]:
    return {"sqlite_where": sa.text(condition), "postgresql_where": sa.text(condition)}


def upgrade() -> None:
    waiting = _only_where("state = 'waiting'")
    op.create_table(
        "mails",
        sa.Column("id", sa.Text(), primary_key=True),
        sa.Column("organization_id", sa.Text(), sa.ForeignKey("organizations.id"), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("is_notice", sa.Boolean(), nullable=False),
        sa.Column("person_id", sa.Text(), sa.ForeignKey("people.id")),
        sa.Column("address", sa.Text()),
        sa.Column("data", sa.Text()),
        sa.Column("token", sa.LargeBinary()),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("next_attempt_at", sa.BigInteger()),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("done_at", sa.BigInteger()),
        sa.Column("reason", sa.Text()),
    )
    op.create_index("ix_mails_cause", "mails", ["cause"], unique=True)
    columns = ["organization_id", "is_notice", "next_attempt_at", "id"]
    op.create_index("ix_mails_waiting", "mails", columns, **waiting)
    op.create_index("ix_mails_due", "mails", ["next_attempt_at", "organization_id"], **waiting)
    sent = _only_where("state = 'sent'")
    op.create_index("ix_mails_sent", "mails", ["organization_id", "is_notice", "done_at"], **sent)
    op.create_index("ix_mails_done_at", "mails", ["done_at"], **_only_where("done_at IS NOT NULL"))
    op.create_table(
        "notice_choices",
        sa.Column("organization_id", sa.Text(), sa.ForeignKey("organizations.id"), primary_key=True),
        sa.Column("kind", sa.Text(), primary_key=True),
        sa.Column("person_id", sa.Text(), sa.ForeignKey("people.id"), primary_key=True),
    )
    op.create_table(
        "mailed_links",
        sa.Column("digest", sa.Text(), primary_key=True),
        sa.Column("person_id", sa.Text(), sa.ForeignKey("people.id"), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
    )
    op.create_index("ix_mailed_links_person_id", "mailed_links", ["person_id"])
    op.create_table(
        "asked_resets",
        sa.Column("id", sa.Text(), primary_key=True),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
    )
    op.add_column("people", sa.Column("email_proven_at", sa.BigInteger()))
    op.add_column("invitations", sa.Column("mailed_digest", sa.Text()))
    op.create_index("ix_invitations_mailed_digest", "invitations", ["mailed_digest"], unique=True)
    # Keys that end within a week, and the grant before an entry of the ledger, are looked for.
    live = _only_where("revoked_at IS NULL")
    op.create_index("ix_api_keys_expires_at", "api_keys", ["expires_at"], **live)
    grants = _only_where("kind = 'grant'")
    op.create_index("ix_ai_ledger_grants", "ai_ledger", ["organization_id", "id"], **grants)
