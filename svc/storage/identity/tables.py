"""The tables of organizations, people, and their credentials."""

from typing import Final

import sqlalchemy as sa

from svc.storage.schema import metadata, only_where
from svc.storage.schema import of_organization as _organization

organizations: Final = sa.Table(
    "organizations",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("country", sa.Text, nullable=False),
    sa.Column("currency", sa.Text, nullable=False),
    sa.Column("locale", sa.Text, nullable=False),
    sa.Column("time_zone", sa.Text, nullable=False),
    sa.Column("plan", sa.Text, nullable=False),
    sa.Column("trial_ends_at", sa.BigInteger),
    sa.Column("marketing_hub", sa.Boolean, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("closed_at", sa.BigInteger),
    sa.Column("allow_keys_elsewhere", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("version", sa.Integer, nullable=False, server_default="1"),
    sa.Column("own_provider_falls_back_to_credits", sa.Boolean, nullable=False, server_default=sa.false()),
)

# People and keys.

people: Final = sa.Table(
    "people",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("email", sa.Text, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("password_hash", sa.Text),
    sa.Column("home_organization_id", sa.Text, sa.ForeignKey("organizations.id"), nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    # When the account's person showed that they receive mail at the address; NULL if they did not.
    sa.Column("email_proven_at", sa.BigInteger),
    # Unique within a home only: every organization may have an account with the same address.
    sa.UniqueConstraint("home_organization_id", "email"),
    sa.Index("ix_people_email", "email"),
)

members: Final = sa.Table(
    "members",
    metadata,
    sa.Column("organization_id", sa.Text, sa.ForeignKey("organizations.id"), primary_key=True),
    sa.Column("person_id", sa.Text, sa.ForeignKey("people.id"), primary_key=True),
    # `owner`, `admin`, `viewer`, or the id of a custom role: the built-in ones have no rows to refer to.
    sa.Column("role_id", sa.Text, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("updated_at", sa.BigInteger, nullable=False),
    sa.Index("ix_members_person_id", "person_id"),
)

roles: Final = sa.Table(
    "roles",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    _organization(),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("permissions", sa.Text, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("updated_at", sa.BigInteger, nullable=False),
    sa.Column("version", sa.Integer, nullable=False, server_default="1"),
    sa.UniqueConstraint("organization_id", "name"),
)

teams: Final = sa.Table(
    "teams",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    _organization(),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.UniqueConstraint("organization_id", "name"),
)

team_members: Final = sa.Table(
    "team_members",
    metadata,
    _organization(),
    sa.Column("team_id", sa.Text, sa.ForeignKey("teams.id"), primary_key=True),
    sa.Column("person_id", sa.Text, sa.ForeignKey("people.id"), primary_key=True),
    sa.Index("ix_team_members_organization_id_person_id", "organization_id", "person_id"),
)

invitations: Final = sa.Table(
    "invitations",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    _organization(),
    sa.Column("email", sa.Text, nullable=False),
    sa.Column("role_id", sa.Text, nullable=False),
    sa.Column("team_ids", sa.Text, nullable=False),
    sa.Column("digest", sa.Text, nullable=False, unique=True),
    sa.Column("invited_by", sa.Text, sa.ForeignKey("people.id")),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("expires_at", sa.BigInteger, nullable=False),
    sa.Column("accepted_at", sa.BigInteger),
    # Of the token that was mailed, which nobody else was shown; NULL where none was.
    sa.Column("mailed_digest", sa.Text),
    sa.Index("ix_invitations_mailed_digest", "mailed_digest", unique=True),
    sa.Index("ix_invitations_organization_id_email", "organization_id", "email"),
)

api_keys: Final = sa.Table(
    "api_keys",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    _organization(),
    sa.Column("creator_id", sa.Text, sa.ForeignKey("people.id"), nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    # Not declared unique: the planner would use that index instead of `ix_api_keys_live`.
    sa.Column("digest", sa.Text, nullable=False),
    sa.Column("visible_start", sa.Text, nullable=False),
    sa.Column("role_id", sa.Text, nullable=False),
    sa.Column("tools", sa.Text),
    sa.Column("limited_to", sa.Text),
    sa.Column("monthly_budget_micro_credits", sa.BigInteger),
    sa.Column("models", sa.Text),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("expires_at", sa.BigInteger, nullable=False),
    sa.Column("revoked_at", sa.BigInteger),
    sa.Column("last_used_at", sa.BigInteger),
    sa.Index("ix_api_keys_organization_id_id", "organization_id", "id"),
    sa.Index("ix_api_keys_expires_at", "expires_at", **only_where("revoked_at IS NULL")),
    # Covers the look-up of a key. An unknown, a revoked and an expired key are the same failing search in it,
    # so that their answers take the same time.
    sa.Index(
        "ix_api_keys_live",
        "digest",
        "expires_at",
        "organization_id",
        sqlite_where=sa.text("revoked_at IS NULL"),
        postgresql_where=sa.text("revoked_at IS NULL"),
    ),
)

sessions: Final = sa.Table(
    "sessions",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("person_id", sa.Text, sa.ForeignKey("people.id"), nullable=False),
    sa.Column("digest", sa.Text, nullable=False, unique=True),
    sa.Column("user_agent", sa.Text, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("confirmed_at", sa.BigInteger, nullable=False),
    sa.Column("seen_at", sa.BigInteger, nullable=False),
    sa.Column("expires_at", sa.BigInteger, nullable=False),
    sa.Column("revoked_at", sa.BigInteger),
    sa.Index("ix_sessions_person_id", "person_id"),
)

sign_in_links: Final = sa.Table(
    "sign_in_links",
    metadata,
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("person_id", sa.Text, sa.ForeignKey("people.id"), nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("expires_at", sa.BigInteger, nullable=False),
    sa.Column("used_at", sa.BigInteger),
)

sign_in_failures: Final = sa.Table(
    "sign_in_failures",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("account", sa.Text, nullable=False),
    sa.Column("address", sa.Text, nullable=False),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Index("ix_sign_in_failures_at", "at"),
)
