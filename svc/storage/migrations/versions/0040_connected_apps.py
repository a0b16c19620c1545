"""Connected apps: apps, grants, codes and tokens; and keys that are rolled."""

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None


def _column(name: str, *, null: bool = False, primary: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), primary_key=primary, nullable=null)


def _time(name: str, *, null: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=null)


def _ref(name: str, to: str, *, null: bool = False, primary: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), sa.ForeignKey(to), primary_key=primary, nullable=null)


def _of_organization() -> sa.Column[str]:
    return _ref("organization_id", "organizations.id")


def upgrade() -> None:
    no = sa.false()
    op.add_column(
        "organizations",
        sa.Column("members_may_connect_apps", sa.Boolean(), nullable=False, server_default=no),
    )
    op.add_column("api_keys", sa.Column("life_ms", sa.BigInteger(), nullable=False, server_default="0"))
    op.execute("UPDATE api_keys SET life_ms = expires_at - created_at")
    _keys_and_grants()
    _apps()
    _codes_and_tokens()


def _keys_and_grants() -> None:
    op.create_table(
        "previous_keys",
        _ref("key_id", "api_keys.id", primary=True),
        _of_organization(),
        _column("digest"),
        _time("ends_at"),
    )
    op.create_index("ix_previous_keys_live", "previous_keys", ["digest", "ends_at", "organization_id"])
    op.create_index("ix_previous_keys_organization_id", "previous_keys", ["organization_id"])
    op.create_table(
        "grants",
        _column("id", primary=True),
        _of_organization(),
        _ref("person_id", "people.id"),
        _column("app_id"),
        _column("client_id"),
        _column("app_name"),
        _column("app_host"),
        _column("role_id"),
        _column("reach"),
        _column("tools", null=True),
        _column("door"),
        _time("created_at"),
        _time("expires_at"),
        _time("ended_at", null=True),
        _column("ended_because", null=True),
        _time("last_used_at", null=True),
    )
    op.create_index("ix_grants_organization_id_id", "grants", ["organization_id", "id"])
    live = sa.text("ended_at IS NULL")
    op.create_index(
        "ix_grants_live",
        "grants",
        ["organization_id", "person_id"],
        sqlite_where=live,
        postgresql_where=live,
    )
    op.create_index("ix_grants_app_id", "grants", ["app_id"])
    op.create_table(
        "access_tokens",
        _column("id", primary=True),
        _of_organization(),
        _ref("grant_id", "grants.id"),
        _column("digest"),
        _time("created_at"),
        _time("expires_at"),
    )
    op.create_index("ix_access_tokens_grant_id", "access_tokens", ["grant_id"])
    op.create_index("ix_access_tokens_expires_at", "access_tokens", ["expires_at"])
    op.create_index(
        "ix_access_tokens_live", "access_tokens", ["digest", "expires_at", "organization_id", "grant_id"]
    )


def _apps() -> None:
    op.create_table(
        "apps",
        _column("id", primary=True),
        _of_organization(),
        _column("name"),
        _column("redirect_uris"),
        _column("secret_digest", null=True),
        _ref("created_by", "people.id", null=True),
        _time("created_at"),
        _time("removed_at", null=True),
    )
    op.create_index("ix_apps_organization_id", "apps", ["organization_id"])
    op.create_table(
        "registered_apps",
        _column("id", primary=True),
        _column("name"),
        _column("redirect_uris"),
        _column("secret_digest", null=True),
        _column("address"),
        _time("created_at"),
    )
    op.create_index("ix_registered_apps_address_created_at", "registered_apps", ["address", "created_at"])
    op.create_table(
        "authorization_requests",
        _column("digest", primary=True),
        _column("app_id"),
        _column("client_id"),
        _column("app_name"),
        _column("app_host"),
        _column("organization_id", null=True),
        _column("redirect_uri"),
        _column("state", null=True),
        _column("challenge"),
        _column("scope"),
        _column("door"),
        _column("issuer"),
        _column("address"),
        _time("created_at"),
        _time("expires_at"),
    )
    op.create_index("ix_authorization_requests_address", "authorization_requests", ["address"])
    op.create_index("ix_authorization_requests_expires_at", "authorization_requests", ["expires_at"])


def _codes_and_tokens() -> None:
    op.create_table(
        "authorization_codes",
        _column("digest", primary=True),
        _of_organization(),
        _ref("grant_id", "grants.id"),
        _column("redirect_uri"),
        _column("challenge"),
        _time("created_at"),
        _time("expires_at"),
        _time("used_at", null=True),
    )
    op.create_index("ix_authorization_codes_expires_at", "authorization_codes", ["expires_at"])
    op.create_table(
        "refresh_tokens",
        _column("digest", primary=True),
        _of_organization(),
        _ref("grant_id", "grants.id"),
        _time("created_at"),
        _time("expires_at"),
        _time("used_at", null=True),
        _column("successor", null=True),
    )
    op.create_index("ix_refresh_tokens_grant_id", "refresh_tokens", ["grant_id"])
    op.create_index("ix_refresh_tokens_expires_at", "refresh_tokens", ["expires_at"])
