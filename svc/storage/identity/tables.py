"""The tables of organizations, people, and their credentials."""

from typing import Final

import sqlalchemy as sa

from svc.domain.grants.limits import ACCESS_TOKEN_LIFE_MS
from svc.domain.identity.limits import (
    INVITATION_LIFE_MS,
    SESSION_LIFE_MS,
    SIGN_IN_LINK_LIFE_MS,
    SIGN_IN_WINDOW_MS,
)
from svc.domain.identity.roles import Permission
from svc.storage import schema

_SIGN_IN: Final = "of accounts, which are members' and no customers'; it has digests and ends by itself"

organizations: Final = schema.table(
    "organizations",
    schema.id_(),
    schema.text("name", schema.kept("the organization's own name; `svc org rename` changes it")),
    schema.word("country"),
    schema.word("currency"),
    schema.word("locale"),
    schema.word("time_zone"),
    schema.word("plan"),
    schema.time(
        "trial_ends_at",
        schema.Untouched("it was shown to people"),
        null=True,
        note="null for one that was never on trial",
    ),
    schema.flag("marketing_hub"),
    schema.past("created_at"),
    schema.past("closed_at", null=True),
    schema.flag("allow_keys_elsewhere", default=False),
    schema.number("version", default="1"),
    schema.flag("own_provider_falls_back_to_credits", default=False),
    schema.flag("members_may_connect_apps", default=False),
    leaves=schema.ExportFile("organization", "The organization itself."),
    life=schema.KEPT,
)

# People and keys.

people: Final = schema.table(
    "people",
    schema.id_(),
    schema.text("email", schema.kept(schema.ACCOUNT)),
    schema.text("name", schema.kept(schema.ACCOUNT)),
    schema.word("password_hash", null=True),
    schema.ref("home_organization_id", "organizations.id"),
    schema.past("created_at"),
    # When the account's person showed that they receive mail at the address; NULL if they did not.
    schema.past("email_proven_at", null=True),
    # Unique within a home only: every organization may have an account with the same address.
    sa.UniqueConstraint("home_organization_id", "email"),
    sa.Index("ix_people_email", "email"),
    leaves=schema.Stays("accounts: their e-mail and name are in `members`, their passwords nowhere"),
    life=schema.KEPT,
    rows_of="people",
)

members: Final = schema.table(
    "members",
    schema.of_organization(primary=True),
    schema.ref(
        "person_id",
        "people.id",
        primary=True,
        note="the id that `member` values of records and authors refer to",
    ),
    # `owner`, `admin`, `viewer`, or the id of a custom role: the built-in ones have no rows to refer to.
    schema.word("role_id", note="`owner`, `admin`, `viewer`, or the id of a line of `roles`"),
    schema.word("status"),
    schema.past("created_at"),
    schema.past("updated_at"),
    sa.Index("ix_members_person_id", "person_id"),
    leaves=schema.ExportFile(
        "members", "A member: a person who signs in, with a role. `email` and `name` are the person's."
    ),
    life=schema.KEPT,
)

roles: Final = schema.table(
    "roles",
    schema.id_(),
    schema.of_organization(),
    schema.text("name", schema.SCRUBBED),
    schema.json("permissions", frozenset[Permission], schema.NOBODY),
    schema.past("created_at"),
    schema.past("updated_at"),
    schema.number("version", default="1"),
    sa.UniqueConstraint("organization_id", "name"),
    leaves=schema.ExportFile("roles", "A custom role, with its permissions."),
    life=schema.KEPT,
)

teams: Final = schema.table(
    "teams",
    schema.id_(),
    schema.of_organization(),
    schema.text("name", schema.SCRUBBED),
    schema.past("created_at"),
    sa.UniqueConstraint("organization_id", "name"),
    leaves=schema.ExportFile("teams", "A team."),
    life=schema.KEPT,
)

team_members: Final = schema.table(
    "team_members",
    schema.of_organization(),
    schema.ref("team_id", "teams.id", primary=True),
    schema.ref("person_id", "people.id", primary=True),
    sa.Index("ix_team_members_organization_id_person_id", "organization_id", "person_id"),
    leaves=schema.ExportFile("team_members", "A member of a team."),
    life=schema.KEPT,
)

invitations: Final = schema.table(
    "invitations",
    schema.id_(),
    schema.of_organization(),
    schema.word("email", own="emails"),
    schema.word("role_id"),
    schema.json("team_ids", tuple[str, ...], schema.NOBODY),
    schema.secret_digest(unique=True),
    schema.ref("invited_by", "people.id", null=True),
    schema.past("created_at"),
    schema.time("expires_at", schema.Ahead(INVITATION_LIFE_MS)),
    schema.past("accepted_at", null=True),
    # Of the token that was mailed, which nobody else was shown; NULL where none was.
    schema.secret_digest("mailed_digest", null=True),
    sa.Index("ix_invitations_mailed_digest", "mailed_digest", unique=True),
    sa.Index("ix_invitations_organization_id_email", "organization_id", "email"),
    leaves=schema.ExportFile("invitations", "An invitation to become a member."),
    life=schema.expires("expires_at"),
)

api_keys: Final = schema.table(
    "api_keys",
    schema.id_(),
    schema.of_organization(),
    schema.ref("creator_id", "people.id"),
    schema.text("name", schema.SCRUBBED),
    # Not declared unique: the planner would use that index instead of `ix_api_keys_live`.
    schema.secret_digest(),
    schema.word("visible_start"),
    schema.word("role_id"),
    schema.json("tools", tuple[str, ...], schema.NOBODY, null=True),
    schema.word("limited_to", null=True),
    schema.number("monthly_budget_micro_credits", sa.BigInteger, null=True),
    schema.json("models", tuple[str, ...], schema.NOBODY, null=True),
    schema.past("created_at"),
    # How long it was asked for to live: a roll begins that anew.
    schema.number("life_ms", sa.BigInteger, default="0"),
    schema.time("expires_at", schema.Untouched("it was shown to people, who can revoke it")),
    schema.past("revoked_at", null=True),
    schema.past("last_used_at", null=True),
    sa.Index("ix_api_keys_organization_id_id", "organization_id", "id"),
    schema.PartialIndex("ix_api_keys_expires_at", "expires_at", where="revoked_at IS NULL"),
    # Covers the look-up of a key. An unknown, a revoked and an expired key are the same failing search in it,
    # so that their answers take the same time.
    schema.PartialIndex(
        "ix_api_keys_live",
        "digest",
        "expires_at",
        "organization_id",
        where="revoked_at IS NULL",
    ),
    leaves=schema.ExportFile("api_keys", "An API or gateway key, without the key."),
    life=schema.KEPT,
)

previous_keys: Final = schema.table(
    "previous_keys",
    # The value of a key before it was rolled, which still opens what the key does.
    schema.ref("key_id", "api_keys.id", primary=True),
    schema.of_organization(),
    schema.secret_digest(),
    schema.time("ends_at", schema.Untouched("it was shown to people, who can revoke the key")),
    # As `ix_api_keys_live`, and for the same reason.
    sa.Index("ix_previous_keys_live", "digest", "ends_at", "organization_id"),
    sa.Index("ix_previous_keys_organization_id", "organization_id"),
    leaves=schema.Stays("the value of a key before the last, until its overlap ends"),
    erasure=schema.Exempt("digests alone"),
    life=schema.expires("ends_at"),
)

grants: Final = schema.table(
    "grants",
    schema.id_(),
    schema.of_organization(),
    schema.ref("person_id", "people.id"),
    schema.word("app_id"),
    # Of the app, as it was when the person allowed it.
    schema.text("client_id", schema.CODE),
    schema.text("app_name", schema.SCRUBBED),
    schema.word("app_host"),
    schema.word("role_id"),
    # `all`, `read` or `list`: which tools it may call.
    schema.word("reach"),
    schema.json("tools", tuple[str, ...], schema.NOBODY, null=True),
    # The MCP door that it opens: `mcp` or `mcp_full`.
    schema.word("door"),
    schema.past("created_at"),
    schema.time("expires_at", schema.Untouched("it was shown to people, who can end it")),
    schema.past("ended_at", null=True),
    schema.word("ended_because", null=True),
    schema.past("last_used_at", null=True),
    sa.Index("ix_grants_organization_id_id", "organization_id", "id"),
    schema.PartialIndex("ix_grants_live", "organization_id", "person_id", where="ended_at IS NULL"),
    # For what is kept of an app that registered itself: as long as somebody has it connected, and a while.
    sa.Index("ix_grants_app_id", "app_id"),
    leaves=schema.ExportFile("grants", "What a person allowed a connected app to do, without its tokens."),
    life=schema.KEPT,
)

access_tokens: Final = schema.table(
    "access_tokens",
    schema.id_(),
    schema.of_organization(),
    schema.ref("grant_id", "grants.id"),
    schema.secret_digest(),
    schema.past("created_at"),
    schema.time("expires_at", schema.Ahead(ACCESS_TOKEN_LIFE_MS)),
    sa.Index("ix_access_tokens_grant_id", "grant_id"),
    sa.Index("ix_access_tokens_expires_at", "expires_at"),
    # As `ix_api_keys_live`: an unknown, a revoked (so deleted) and an expired token fail alike.
    sa.Index("ix_access_tokens_live", "digest", "expires_at", "organization_id", "grant_id"),
    leaves=schema.Stays("digests of tokens that live for an hour"),
    erasure=schema.Exempt("digests alone"),
    life=schema.expires("expires_at"),
)

sessions: Final = schema.table(
    "sessions",
    schema.id_(),
    schema.ref("person_id", "people.id"),
    schema.word("digest", unique=True),
    schema.word("user_agent"),
    schema.past("created_at"),
    schema.time("confirmed_at", schema.Untouched("one in the future does not count")),
    schema.past("seen_at"),
    schema.time("expires_at", schema.Ahead(SESSION_LIFE_MS)),
    schema.past("revoked_at", null=True),
    # The IP address of the last request, which the session's person is shown; NULL once it has ended.
    schema.word("last_address", null=True),
    sa.Index("ix_sessions_person_id", "person_id"),
    leaves=schema.Stays("who is signed in at this installation"),
    erasure=schema.Exempt(
        "of accounts, which are members' and no customers'; an address goes with its session"
    ),
    life=schema.expires("expires_at"),
    rows_of="people",
)

sign_in_links: Final = schema.table(
    "sign_in_links",
    schema.secret_digest(primary=True),
    schema.ref("person_id", "people.id"),
    schema.past("created_at"),
    schema.time("expires_at", schema.Ahead(SIGN_IN_LINK_LIFE_MS)),
    schema.past("used_at", null=True),
    leaves=schema.Stays("digests of links that sign in at this installation"),
    erasure=schema.Exempt(_SIGN_IN),
    life=schema.expires("expires_at"),
    rows_of="people",
)

sign_in_failures: Final = schema.table(
    "sign_in_failures",
    schema.id_(),
    schema.word("account"),
    schema.word("address"),
    schema.past("at"),
    sa.Index("ix_sign_in_failures_at", "at"),
    leaves=schema.Stays("counted for a while to slow down guessing, for all organizations"),
    erasure=schema.Exempt(_SIGN_IN),
    life=schema.expires("at", SIGN_IN_WINDOW_MS),
    rows_of="people",
)
