"""The tables that belong to no noun. Every table is SQLAlchemy Core, portable between SQLite and PostgreSQL.

Times are integers: milliseconds since the epoch, UTC. Ids are text: a prefix and a ULID, so that
the order of ids is the order of creation. JSON is text that the noun modules encode and decode.
"""

from typing import Any, Final

import sqlalchemy as sa

from svc.domain.limits import IDEMPOTENCY_LIFE_MS
from svc.storage import schema

events: Final = schema.table(
    "events",
    schema.id_(own="events"),
    schema.of_organization(),
    schema.word("type"),
    schema.past("at"),
    schema.json("data", dict[str, Any], schema.SCRUBBED),
    # The id of what it is about.
    schema.word("subject", note="the id of what it is about"),
    # Of an event of a record, the slug of its object.
    schema.word("object_type", null=True),
    schema.number("depth", note="how many runs of workflows led to it, each started by the one before"),
    # The place in the order of dispatch; None until it was dispatched.
    schema.number(
        "position",
        sa.BigInteger,
        null=True,
        note="its place in the order; null for one that is not dispatched yet",
    ),
    # Partial, so that an insert adds to one of them only.
    schema.PartialIndex("ix_events_undispatched", "organization_id", "id", where="position IS NULL"),
    schema.PartialIndex(
        "ix_events_position",
        "organization_id",
        "position",
        unique=True,
        where="position IS NOT NULL",
    ),
    schema.PartialIndex("ix_events_dispatched_at", "at", where="position IS NOT NULL"),
    leaves=schema.ExportFile(
        "events", "What happened, as `event.list` shows it. Events are kept for a while only."
    ),
    life=schema.PRUNED,
)

event_positions: Final = schema.table(
    "event_positions",
    # The last position that was given in each organization; it stays when the event is pruned.
    schema.of_organization(primary=True),
    schema.number("newest", sa.BigInteger),
    # Up to here events were pruned; some that are still needed may be left.
    schema.number("pruned", sa.BigInteger, default="0"),
    leaves=schema.Stays("up to where events were dispatched, which `events` has"),
    erasure=schema.Exempt("numbers alone"),
    life=schema.WITH_PARENT,
)

audit: Final = schema.table(
    "audit",
    schema.id_(),
    schema.of_organization(),
    schema.time("at", schema.Untouched("the trail is never changed")),
    schema.word("caller_kind"),
    schema.word("caller_id"),
    schema.ref("person_id", "people.id", null=True),
    schema.word("door"),
    schema.word("action"),
    schema.text("target", schema.SCRUBBED, null=True, note="the id of what it was done to"),
    schema.word("outcome"),
    schema.text("reason", schema.SCRUBBED, null=True),
    schema.text("request_id", schema.CODE, null=True),
    # JSON: what asked for the call, where a person approved it.
    schema.json("asked_by", dict[str, str], schema.SCRUBBED, null=True, note="what asked a person for it"),
    sa.Index("ix_audit_organization_id_id", "organization_id", "id"),
    sa.Index("ix_audit_organization_id_person_id_id", "organization_id", "person_id", "id"),
    sa.Index("ix_audit_organization_id_action", "organization_id", "action"),
    leaves=schema.ExportFile("audit", "The audit trail: who did what, when, by which door."),
    life=schema.KEPT,
)

idempotency: Final = schema.table(
    "idempotency",
    schema.of_organization(primary=True),
    schema.word("caller_id", primary=True),
    schema.word("tool", primary=True),
    schema.text("key", schema.CODE, primary=True),
    schema.blob("fingerprint", stays=schema.INTERNAL),
    schema.blob("answer", person=schema.SCRUBBED, stays=schema.INTERNAL, blank=schema.ERASED_JSON.encode()),
    schema.past("created_at"),
    sa.Index("ix_idempotency_created_at", "created_at"),
    leaves=schema.Stays("answers of calls of the last day, for calls that are repeated"),
    life=schema.expires("created_at", IDEMPOTENCY_LIFE_MS),
)

clock_marks: Final = schema.table(
    "clock_marks",
    schema.word("name", primary=True),
    schema.time("at", schema.Untouched("it is what the clock was")),
    leaves=schema.Stays("marks of the clock of the installation"),
    erasure=schema.Exempt("times alone"),
    life=schema.KEPT,
    rows_of="the installation",
)
