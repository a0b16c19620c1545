"""Every table, in SQLAlchemy Core, portable between SQLite and PostgreSQL.

Times are integers: milliseconds since the epoch, UTC. Ids are text: a prefix and a ULID, so that
the order of ids is the order of making. JSON is text that the noun modules encode and decode.
"""

from typing import Final

from sqlalchemy import (
    DDL,
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
    event,
    false,
    literal_column,
    text,
)

from svc.storage.schema import metadata, of_record
from svc.storage.schema import of_organization as _organization
from svc.storage.schema import only_where as _where
from svc.storage.sqlite import full_text

organizations: Final = Table(
    "organizations",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("country", Text, nullable=False),
    Column("currency", Text, nullable=False),
    Column("locale", Text, nullable=False),
    Column("time_zone", Text, nullable=False),
    Column("plan", Text, nullable=False),
    Column("trial_ends_at", BigInteger),
    Column("marketing_hub", Boolean, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("closed_at", BigInteger),
    Column("allow_keys_elsewhere", Boolean, nullable=False, server_default=false()),
)

sites: Final = Table(
    "sites",
    metadata,
    Column("id", Text, primary_key=True),
    _organization(),
    Column("domain", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("removed_at", BigInteger),
    Index("ix_sites_organization_id", "organization_id"),
    Index("ix_sites_domain", "domain"),
)

visitor_keys: Final = Table(
    "visitor_keys",
    metadata,
    Column("day", Integer, primary_key=True, autoincrement=False),
    Column("key", LargeBinary, nullable=False),
)

visits: Final = Table(
    "visits",
    metadata,
    Column("id", Text, primary_key=True),
    _organization(),
    Column("site_id", Text, ForeignKey("sites.id"), nullable=False),
    Column("visitor", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("referrer", Text),
    Column("title", Text),
    Column("at", BigInteger, nullable=False),
    of_record("record_id"),
    Index("ix_visits_organization_id_visitor", "organization_id", "visitor"),
    Index(
        "ix_visits_record_id",
        "record_id",
        sqlite_where=text("record_id IS NOT NULL"),
        postgresql_where=text("record_id IS NOT NULL"),
    ),
)

objects: Final = Table(
    "objects",
    metadata,
    Column("id", Text, primary_key=True),
    _organization(),
    Column("slug", Text, nullable=False),
    Column("label", Text, nullable=False),
    Column("label_plural", Text, nullable=False),
    Column("publishable", Boolean, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    UniqueConstraint("organization_id", "slug"),
)

properties: Final = Table(
    "properties",
    metadata,
    Column("id", Text, primary_key=True),
    _organization(),
    Column("object_id", Text, ForeignKey("objects.id"), nullable=False),
    Column("slug", Text, nullable=False),
    Column("label", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("options", Text, nullable=False),
    Column("personal", Boolean, nullable=False),
    Column("position", Integer, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("unique_values", Boolean, nullable=False, server_default=false()),
    # None, `building` or `ready`: whether `record_keys` has the values of this property.
    Column("index_state", Text),
    # The last record that a building index has come to.
    Column("index_cursor", Text),
    Column("deleted_at", BigInteger),
    UniqueConstraint("object_id", "slug"),
    Index("ix_properties_building", "organization_id", **_where("index_state = 'building'")),
)

records: Final = Table(
    "records",
    metadata,
    Column("id", Text, primary_key=True),
    _organization(),
    Column("object_id", Text, ForeignKey("objects.id"), nullable=False),
    Column("properties", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("deleted_at", BigInteger),
    Column("merged_into", Text, ForeignKey("records.id")),
    Index("ix_records_created_at", "object_id", "created_at", "id", **_where("deleted_at IS NULL")),
    Index("ix_records_updated_at", "object_id", "updated_at", "id", **_where("deleted_at IS NULL")),
    Index("ix_records_merged_into", "merged_into", **_where("merged_into IS NOT NULL")),
)

# What follows is made of the records' properties, in the same transaction.

record_keys: Final = Table(
    "record_keys",
    metadata,
    # For each property that is filtered or sorted by, the sort key of every record of its object.
    Column("property_id", Text, ForeignKey("properties.id"), primary_key=True),
    Column("record_id", Text, ForeignKey("records.id"), primary_key=True),
    Column("key", LargeBinary, nullable=False),
    Index("ix_record_keys_key", "property_id", "key", "record_id"),
    sqlite_with_rowid=False,
)

unique_values: Final = Table(
    "unique_values",
    metadata,
    Column("property_id", Text, ForeignKey("properties.id"), primary_key=True),
    Column("value", Text, primary_key=True),
    Column("record_id", Text, ForeignKey("records.id"), nullable=False),
    Index("ix_unique_values_record_id", "record_id"),
    sqlite_with_rowid=False,
)

relations: Final = Table(
    "relations",
    metadata,
    Column("target_id", Text, ForeignKey("records.id"), primary_key=True),
    Column("property_id", Text, ForeignKey("properties.id"), primary_key=True),
    Column("record_id", Text, ForeignKey("records.id"), primary_key=True),
    Index("ix_relations_record_id", "record_id"),
    sqlite_with_rowid=False,
)

search_texts: Final = Table(
    "search_texts",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("record_id", Text, ForeignKey("records.id"), nullable=False, unique=True),
    # Each word with the mark of its object before it, so that one object's search never meets another's.
    Column("words", Text, nullable=False),
)
# SQLite's own index over them; its tables are not among the metadata (see `sqlite/full_text.py`).
_CREATE_INDEX: Final[DDL] = DDL(full_text.CREATE)  # type: ignore[no-untyped-call]  # so in SQLAlchemy
event.listen(search_texts, "after_create", _CREATE_INDEX.execute_if(dialect="sqlite"))

record_changes: Final = Table(
    "record_changes",
    metadata,
    Column("id", Text, primary_key=True),
    _organization(),
    of_record("record_id", nullable=False),
    Column("kind", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("changed", Text, nullable=False),
    Column("source", Text, nullable=False),
    Index("ix_record_changes_record_id_id", "record_id", "id"),
)

identities: Final = Table(
    "identities",
    metadata,
    _organization(),
    Column("kind", Text, nullable=False),
    Column("value", Text, nullable=False),
    Column("record_id", Text, ForeignKey("records.id"), nullable=False),
    # What a contact is known by. Not unique: two contacts may share a phone, and then a person decides.
    Index("pk_identities", "organization_id", "kind", "value", "record_id", unique=True),
    Index("ix_identities_record_id", "record_id"),
)

notes: Final = Table(
    "notes",
    metadata,
    Column("id", Text, primary_key=True),
    _organization(),
    of_record("record_id", nullable=False),
    Column("title", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("submission_id", Text, ForeignKey("submissions.id")),
    Column("created_at", BigInteger, nullable=False),
    Index("ix_notes_record_id_id", "record_id", "id"),
)

suggestions: Final = Table(
    "suggestions",
    metadata,
    Column("id", Text, primary_key=True),
    _organization(),
    of_record("record_id", nullable=False),
    Column("property", Text, nullable=False),
    Column("value", Text, nullable=False),
    Column("submission_id", Text, ForeignKey("submissions.id")),
    Column("state", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("decided_at", BigInteger),
    Index("ix_suggestions_record_id_state", "record_id", "state"),
    Index("ix_suggestions_organization_id_state_id", "organization_id", "state", "id"),
)

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

embeds: Final = Table(
    "embeds",
    metadata,
    Column("id", Text, primary_key=True),
    _organization(),
    Column("site_id", Text, ForeignKey("sites.id")),
    Column("name", Text, nullable=False),
    Column("embed_key", Text, nullable=False, unique=True),
    Column("status", Text, nullable=False),
    Column("blocks", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Index("ix_embeds_organization_id_id", "organization_id", "id"),
)

BUILDING: Final = literal_column("'building'", Text)
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

# People and keys.

people: Final = Table(
    "people",
    metadata,
    Column("id", Text, primary_key=True),
    Column("email", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("password_hash", Text),
    Column("home_organization_id", Text, ForeignKey("organizations.id"), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    # Every organization may have an account with the same address: none of them is in another's way.
    UniqueConstraint("home_organization_id", "email"),
    Index("ix_people_email", "email"),
)

members: Final = Table(
    "members",
    metadata,
    Column("organization_id", Text, ForeignKey("organizations.id"), primary_key=True),
    Column("person_id", Text, ForeignKey("people.id"), primary_key=True),
    # `owner`, `admin`, `viewer`, or the id of a custom role: the built-in ones have no rows to refer to.
    Column("role_id", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Index("ix_members_person_id", "person_id"),
)

roles: Final = Table(
    "roles",
    metadata,
    Column("id", Text, primary_key=True),
    _organization(),
    Column("name", Text, nullable=False),
    Column("permissions", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    UniqueConstraint("organization_id", "name"),
)

teams: Final = Table(
    "teams",
    metadata,
    Column("id", Text, primary_key=True),
    _organization(),
    Column("name", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    UniqueConstraint("organization_id", "name"),
)

team_members: Final = Table(
    "team_members",
    metadata,
    _organization(),
    Column("team_id", Text, ForeignKey("teams.id"), primary_key=True),
    Column("person_id", Text, ForeignKey("people.id"), primary_key=True),
    Index("ix_team_members_organization_id_person_id", "organization_id", "person_id"),
)

invitations: Final = Table(
    "invitations",
    metadata,
    Column("id", Text, primary_key=True),
    _organization(),
    Column("email", Text, nullable=False),
    Column("role_id", Text, nullable=False),
    Column("team_ids", Text, nullable=False),
    Column("digest", Text, nullable=False, unique=True),
    Column("invited_by", Text, ForeignKey("people.id")),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    Column("accepted_at", BigInteger),
    Index("ix_invitations_organization_id_email", "organization_id", "email"),
)

api_keys: Final = Table(
    "api_keys",
    metadata,
    Column("id", Text, primary_key=True),
    _organization(),
    Column("creator_id", Text, ForeignKey("people.id"), nullable=False),
    Column("name", Text, nullable=False),
    # Not unique, as far as the database knows: it would search that index, and not the one below.
    Column("digest", Text, nullable=False),
    Column("visible_start", Text, nullable=False),
    Column("role_id", Text, nullable=False),
    Column("tools", Text),
    Column("limited_to", Text),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    Column("revoked_at", BigInteger),
    Column("last_used_at", BigInteger),
    Index("ix_api_keys_organization_id_id", "organization_id", "id"),
    # Which organization a key leads to. Unknown, revoked and expired keys are the same search in it, for an
    # entry that is not there: the work is one, so their answers cannot be told apart in time.
    Index(
        "ix_api_keys_live",
        "digest",
        "expires_at",
        "organization_id",
        sqlite_where=text("revoked_at IS NULL"),
        postgresql_where=text("revoked_at IS NULL"),
    ),
)

sessions: Final = Table(
    "sessions",
    metadata,
    Column("id", Text, primary_key=True),
    Column("person_id", Text, ForeignKey("people.id"), nullable=False),
    Column("digest", Text, nullable=False, unique=True),
    Column("user_agent", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("confirmed_at", BigInteger, nullable=False),
    Column("seen_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    Column("revoked_at", BigInteger),
    Index("ix_sessions_person_id", "person_id"),
)

sign_in_links: Final = Table(
    "sign_in_links",
    metadata,
    Column("digest", Text, primary_key=True),
    Column("person_id", Text, ForeignKey("people.id"), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    Column("used_at", BigInteger),
)

sign_in_failures: Final = Table(
    "sign_in_failures",
    metadata,
    Column("id", Text, primary_key=True),
    Column("account", Text, nullable=False),
    Column("address", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Index("ix_sign_in_failures_at", "at"),
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
