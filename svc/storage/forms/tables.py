"""The tables of forms and submissions."""

from typing import Final

import sqlalchemy as sa

from svc.storage.schema import metadata, of_record
from svc.storage.schema import of_organization as _organization
from svc.storage.schema import only_where as _where

forms: Final = sa.Table(
    "forms",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    _organization(),
    sa.Column("site_id", sa.Text, sa.ForeignKey("sites.id")),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("form_key", sa.Text, nullable=False, unique=True),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("field_map", sa.Text, nullable=False),
    sa.Column("deal_title", sa.Text),
    sa.Column("honeypot", sa.Text),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("updated_at", sa.BigInteger, nullable=False),
    sa.Column("version", sa.Integer, nullable=False, server_default="1"),
    sa.Index("ix_forms_organization_id", "organization_id"),
)

# Literals: each of these states has a partial index, which is used only if the statement contains the state.
# The index has the state as a column, too, so that the planner prefers it to others with its first column.
DUE: Final = sa.literal_column("'due'", sa.Text)
QUEUED: Final = sa.literal_column("'queued'", sa.Text)
HELD: Final = sa.literal_column("'held'", sa.Text)

submissions: Final = sa.Table(
    "submissions",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    _organization(),
    sa.Column("form_id", sa.Text, sa.ForeignKey("forms.id"), nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("received_at", sa.BigInteger, nullable=False),
    sa.Column("sender", sa.Text, nullable=False),
    sa.Column("visitors", sa.Text),
    sa.Column("email", sa.Text),
    sa.Column("phone", sa.Text),
    sa.Column("name", sa.Text),
    sa.Column("fields", sa.Text, nullable=False),
    sa.Column("recognised", sa.Text, nullable=False),
    sa.Column("mapped", sa.Text, nullable=False),
    sa.Column("dropped", sa.Integer, nullable=False),
    sa.Column("queued_at", sa.BigInteger),
    sa.Column("paced_at", sa.BigInteger),
    sa.Column("filed_at", sa.BigInteger),
    sa.Column("filed_by", sa.Text),
    sa.Column("held_reason", sa.Text),
    sa.Column("candidates", sa.Text),
    of_record("contact_id"),
    of_record("deal_id"),
    sa.Index("ix_submissions_form_id_id", "form_id", "id"),
    sa.Index("ix_submissions_contact_id", "contact_id", **_where("contact_id IS NOT NULL")),
    sa.Index(
        "ix_submissions_due",
        "organization_id",
        "state",
        "id",
        sqlite_where=sa.text("state = 'due'"),
        postgresql_where=sa.text("state = 'due'"),
    ),
    sa.Index(
        "ix_submissions_held",
        "form_id",
        "state",
        "id",
        sqlite_where=sa.text("state = 'held'"),
        postgresql_where=sa.text("state = 'held'"),
    ),
    sa.Index(
        "ix_submissions_queued",
        "form_id",
        "state",
        "id",
        sqlite_where=sa.text("state = 'queued'"),
        postgresql_where=sa.text("state = 'queued'"),
    ),
)

# Derived from submissions, for searches: see `search_blocks`. Large values come last, so that the others are
# read without them.
submission_blocks: Final = sa.Table(
    "submission_blocks",
    metadata,
    sa.Column("organization_id", sa.Text, sa.ForeignKey("organizations.id"), primary_key=True),
    sa.Column("first_id", sa.Text, primary_key=True),
    sa.Column("end_id", sa.Text, nullable=False),
    sa.Column("texts", sa.LargeBinary, nullable=False),
    sa.Column("ids", sa.LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

server_keys: Final = sa.Table(
    "server_keys",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    _organization(),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("digest", sa.Text, nullable=False, unique=True),
    sa.Column("visible_start", sa.Text, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("expires_at", sa.BigInteger, nullable=False),
    sa.Column("revoked_at", sa.BigInteger),
    sa.Index("ix_server_keys_organization_id", "organization_id"),
)
