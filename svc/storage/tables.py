"""The tables that belong to no noun. Every table is SQLAlchemy Core, portable between SQLite and PostgreSQL.

Times are integers: milliseconds since the epoch, UTC. Ids are text: a prefix and a ULID, so that
the order of ids is the order of creation. JSON is text that the noun modules encode and decode.
"""

from typing import Final

import sqlalchemy as sa

from svc.storage.schema import metadata
from svc.storage.schema import of_organization as _organization
from svc.storage.schema import only_where as _where

events: Final = sa.Table(
    "events",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    _organization(),
    sa.Column("type", sa.Text, nullable=False),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("data", sa.Text, nullable=False),
    # The id of what it is about.
    sa.Column("subject", sa.Text, nullable=False),
    # Of an event of a record, the slug of its object.
    sa.Column("object_type", sa.Text),
    sa.Column("depth", sa.Integer, nullable=False),
    # The place in the order of dispatch; None until it was dispatched.
    sa.Column("position", sa.BigInteger),
    # Partial, so that an insert adds to one of them only.
    sa.Index("ix_events_undispatched", "organization_id", "id", **_where("position IS NULL")),
    sa.Index(
        "ix_events_position", "organization_id", "position", unique=True, **_where("position IS NOT NULL")
    ),
    sa.Index("ix_events_dispatched_at", "at", **_where("position IS NOT NULL")),
)

event_positions: Final = sa.Table(
    "event_positions",
    metadata,
    # The last position that was given in each organization; it stays when the event is pruned.
    sa.Column("organization_id", sa.Text, sa.ForeignKey("organizations.id"), primary_key=True),
    sa.Column("newest", sa.BigInteger, nullable=False),
    # Up to here events were pruned; some that are still needed may be left.
    sa.Column("pruned", sa.BigInteger, nullable=False, server_default="0"),
)

audit: Final = sa.Table(
    "audit",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    _organization(),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("caller_kind", sa.Text, nullable=False),
    sa.Column("caller_id", sa.Text, nullable=False),
    sa.Column("person_id", sa.Text, sa.ForeignKey("people.id")),
    sa.Column("door", sa.Text, nullable=False),
    sa.Column("action", sa.Text, nullable=False),
    sa.Column("target", sa.Text),
    sa.Column("outcome", sa.Text, nullable=False),
    sa.Column("reason", sa.Text),
    sa.Column("request_id", sa.Text),
    # JSON: what asked for the call, where a person approved it.
    sa.Column("asked_by", sa.Text),
    sa.Index("ix_audit_organization_id_id", "organization_id", "id"),
    sa.Index("ix_audit_organization_id_person_id_id", "organization_id", "person_id", "id"),
)

idempotency: Final = sa.Table(
    "idempotency",
    metadata,
    sa.Column("organization_id", sa.Text, sa.ForeignKey("organizations.id"), primary_key=True),
    sa.Column("caller_id", sa.Text, primary_key=True),
    sa.Column("tool", sa.Text, primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("fingerprint", sa.LargeBinary, nullable=False),
    sa.Column("answer", sa.LargeBinary, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Index("ix_idempotency_created_at", "created_at"),
)

clock_marks: Final = sa.Table(
    "clock_marks",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("at", sa.BigInteger, nullable=False),
)
