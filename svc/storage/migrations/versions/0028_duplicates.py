"""Which record a run is about, what records may have in common, and which of them are not the same."""

from typing import Any, Final

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

_ABOUT: Final = """
    UPDATE workflow_runs SET record_id = (
        SELECT records.id FROM records
        WHERE records.organization_id = workflow_runs.organization_id
        AND records.id = coalesce(
            json_extract(workflow_runs.event, '$.data.recordId'),
            json_extract(workflow_runs.event, '$.data.contactId')
        )
    )
    WHERE json_valid(workflow_runs.event)
"""
_MERGED: Final = """
    UPDATE workflow_runs SET record_id = (
        SELECT merged_into FROM records WHERE records.id = workflow_runs.record_id
    )
    WHERE record_id IN (SELECT id FROM records WHERE merged_into IS NOT NULL)
"""
"""Of records that were merged, to the one that they were merged into."""


def _only_where(condition: str) -> dict[str, Any]:
    return {"sqlite_where": sa.text(condition), "postgresql_where": sa.text(condition)}


def upgrade() -> None:
    # Alembic would add the constraint by itself, which SQLite cannot.
    reference = "CONSTRAINT fk_workflow_runs_record_id REFERENCES records (id)"
    op.execute(f"ALTER TABLE workflow_runs ADD COLUMN record_id TEXT {reference}")
    op.execute(_ABOUT)
    while op.get_bind().execute(sa.text(_MERGED)).rowcount:
        pass
    about = _only_where("record_id IS NOT NULL")
    op.create_index("ix_workflow_runs_record_id", "workflow_runs", ["record_id"], **about)
    op.add_column("objects", sa.Column("duplicates_state", sa.Text()))
    op.add_column("objects", sa.Column("duplicates_cursor", sa.Text()))
    building = _only_where("duplicates_state = 'building'")
    op.create_index("ix_objects_building", "objects", ["organization_id"], **building)
    op.create_table(
        "duplicate_keys",
        sa.Column("object_id", sa.Text(), sa.ForeignKey("objects.id"), primary_key=True),
        sa.Column("kind", sa.Text(), primary_key=True),
        sa.Column("value", sa.Text(), primary_key=True),
        sa.Column("record_id", sa.Text(), sa.ForeignKey("records.id"), primary_key=True),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_duplicate_keys_record_id", "duplicate_keys", ["record_id"])
    op.create_table(
        "distinct_records",
        sa.Column("record_id", sa.Text(), sa.ForeignKey("records.id"), primary_key=True),
        sa.Column("other_id", sa.Text(), sa.ForeignKey("records.id"), primary_key=True),
        sa.Column("organization_id", sa.Text(), sa.ForeignKey("organizations.id"), nullable=False),
        sa.Column("person_id", sa.Text(), sa.ForeignKey("people.id")),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_distinct_records_other_id", "distinct_records", ["other_id"])
