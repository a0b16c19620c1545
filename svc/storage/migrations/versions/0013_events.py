"""Events: what each is about, and its place in the order of dispatch.

What is there already counts as dispatched, in the order of its ids: nothing was waiting for it.
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def _member(name: str) -> str:
    """SQL for a member of the data; NULL where they cannot be decoded."""
    return f"CASE WHEN json_valid(data) THEN json_extract(data, '$.{name}') END"


_SUBJECT = ", ".join(map(_member, ("recordId", "conversationId", "submissionId", "connectionId")))


def upgrade() -> None:
    with op.batch_alter_table("events") as events:
        events.drop_index("ix_events_organization_id_id")
        events.add_column(sa.Column("subject", sa.Text()))
        events.add_column(sa.Column("object_type", sa.Text()))
        events.add_column(sa.Column("depth", sa.Integer()))
        events.add_column(sa.Column("position", sa.BigInteger()))
    op.execute(
        f"UPDATE events SET subject = coalesce({_SUBJECT}, events.id), depth = 0,"  # noqa: S608
        f" object_type = {_member('objectType')},"
        " position = numbered.place"
        " FROM (SELECT id AS event_id, row_number() OVER (PARTITION BY organization_id ORDER BY id) AS place"
        " FROM events) AS numbered WHERE numbered.event_id = events.id"
    )
    op.create_table(
        "event_positions",
        sa.Column("organization_id", sa.Text(), nullable=False),
        sa.Column("newest", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_event_positions_organization_id")
        ),
        sa.PrimaryKeyConstraint("organization_id", name=op.f("pk_event_positions")),
    )
    op.execute(
        "INSERT INTO event_positions (organization_id, newest)"
        " SELECT organization_id, max(position) FROM events GROUP BY organization_id"
    )
    undispatched, dispatched = sa.text("position IS NULL"), sa.text("position IS NOT NULL")
    with op.batch_alter_table("events") as events:
        events.alter_column("subject", existing_type=sa.Text(), nullable=False)
        events.alter_column("depth", existing_type=sa.Integer(), nullable=False)
    for name, columns, where, unique in (
        ("ix_events_undispatched", ["organization_id", "id"], undispatched, False),
        ("ix_events_position", ["organization_id", "position"], dispatched, True),
        ("ix_events_dispatched_at", ["at"], dispatched, False),
    ):
        op.create_index(name, "events", columns, unique=unique, sqlite_where=where, postgresql_where=where)
