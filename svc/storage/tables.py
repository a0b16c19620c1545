"""The tables that belong to no noun. Every table is SQLAlchemy Core, portable between SQLite and PostgreSQL.

Times are integers: milliseconds since the epoch, UTC. Ids are text: a prefix and a ULID, so that
the order of ids is the order of making. JSON is text that the noun modules encode and decode.
"""

from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    LargeBinary,
    Table,
    Text,
)

from svc.storage.schema import metadata
from svc.storage.schema import of_organization as _organization

events: Final = Table(
    "events",
    metadata,
    Column("id", Text, primary_key=True),
    _organization(),
    Column("type", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("data", Text, nullable=False),
    Index("ix_events_organization_id_id", "organization_id", "id"),
)

audit: Final = Table(
    "audit",
    metadata,
    Column("id", Text, primary_key=True),
    _organization(),
    Column("at", BigInteger, nullable=False),
    Column("caller_kind", Text, nullable=False),
    Column("caller_id", Text, nullable=False),
    Column("person_id", Text, ForeignKey("people.id")),
    Column("door", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("target", Text),
    Column("outcome", Text, nullable=False),
    Column("reason", Text),
    Column("request_id", Text),
    Index("ix_audit_organization_id_id", "organization_id", "id"),
    Index("ix_audit_organization_id_person_id_id", "organization_id", "person_id", "id"),
)

idempotency: Final = Table(
    "idempotency",
    metadata,
    Column("organization_id", Text, ForeignKey("organizations.id"), primary_key=True),
    Column("caller_id", Text, primary_key=True),
    Column("tool", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("fingerprint", LargeBinary, nullable=False),
    Column("answer", LargeBinary, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Index("ix_idempotency_created_at", "created_at"),
)

clock_marks: Final = Table(
    "clock_marks",
    metadata,
    Column("name", Text, primary_key=True),
    Column("at", BigInteger, nullable=False),
)
