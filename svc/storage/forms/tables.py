"""The tables of forms and submissions."""

from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
    literal_column,
    text,
)

from svc.storage.schema import metadata, of_record
from svc.storage.schema import of_organization as _organization
from svc.storage.schema import only_where as _where

forms: Final = Table(
    "forms",
    metadata,
    Column("id", Text, primary_key=True),
    _organization(),
    Column("site_id", Text, ForeignKey("sites.id")),
    Column("name", Text, nullable=False),
    Column("form_key", Text, nullable=False, unique=True),
    Column("status", Text, nullable=False),
    Column("field_map", Text, nullable=False),
    Column("deal_title", Text),
    Column("honeypot", Text),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Index("ix_forms_organization_id", "organization_id"),
)

DUE: Final = literal_column("'due'", Text)

QUEUED: Final = literal_column("'queued'", Text)

HELD: Final = literal_column("'held'", Text)

"""States that have an index of their own. It is used where the state stands in the statement itself, and it
has the state as a column, so that the planner finds it better than one of the same first column."""

submissions: Final = Table(
    "submissions",
    metadata,
    Column("id", Text, primary_key=True),
    _organization(),
    Column("form_id", Text, ForeignKey("forms.id"), nullable=False),
    Column("state", Text, nullable=False),
    Column("received_at", BigInteger, nullable=False),
    Column("sender", Text, nullable=False),
    Column("visitors", Text),
    Column("email", Text),
    Column("phone", Text),
    Column("name", Text),
    Column("fields", Text, nullable=False),
    Column("recognised", Text, nullable=False),
    Column("mapped", Text, nullable=False),
    Column("dropped", Integer, nullable=False),
    Column("queued_at", BigInteger),
    Column("paced_at", BigInteger),
    Column("filed_at", BigInteger),
    Column("filed_by", Text),
    Column("held_reason", Text),
    Column("candidates", Text),
    of_record("contact_id"),
    of_record("deal_id"),
    Index("ix_submissions_form_id_id", "form_id", "id"),
    Index("ix_submissions_contact_id", "contact_id", **_where("contact_id IS NOT NULL")),
    Index(
        "ix_submissions_due",
        "organization_id",
        "state",
        "id",
        sqlite_where=text("state = 'due'"),
        postgresql_where=text("state = 'due'"),
    ),
    Index(
        "ix_submissions_held",
        "form_id",
        "state",
        "id",
        sqlite_where=text("state = 'held'"),
        postgresql_where=text("state = 'held'"),
    ),
    Index(
        "ix_submissions_queued",
        "form_id",
        "state",
        "id",
        sqlite_where=text("state = 'queued'"),
        postgresql_where=text("state = 'queued'"),
    ),
)

server_keys: Final = Table(
    "server_keys",
    metadata,
    Column("id", Text, primary_key=True),
    _organization(),
    Column("name", Text, nullable=False),
    Column("digest", Text, nullable=False, unique=True),
    Column("visible_start", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    Column("revoked_at", BigInteger),
    Index("ix_server_keys_organization_id", "organization_id"),
)
