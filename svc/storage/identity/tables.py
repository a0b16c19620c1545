"""The tables of organizations, people, and how they get in."""

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
)

from svc.storage.schema import metadata
from svc.storage.schema import of_organization as _organization

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
