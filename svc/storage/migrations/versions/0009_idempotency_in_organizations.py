"""Idempotency in organizations: a person's idempotency keys of one organization are none of another's."""

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("idempotency", schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f("pk_idempotency"), type_="primary")
        batch_op.create_primary_key(
            batch_op.f("pk_idempotency"), ["organization_id", "caller_id", "tool", "key"]
        )
