"""The tables of apps, of what they ask people for, and of codes and refresh tokens."""

from typing import Final

import sqlalchemy as sa

from svc.domain.grants.limits import (
    AUTHORIZATION_LIFE_MS,
    CODE_KEPT_MS,
    CODE_LIFE_MS,
    REFRESH_TOKEN_IDLE_MS,
)
from svc.storage import schema

_CLIENTS: Final = "of programs, which tell it of themselves; it names no customer"

apps: Final = schema.table(
    "apps",
    # Made by hand, for one organization. The id is the client id.
    schema.id_(),
    schema.of_organization(),
    schema.text("name", schema.SCRUBBED),
    schema.json("redirect_uris", tuple[str, ...], schema.CODE),
    schema.secret_digest("secret_digest", null=True),
    schema.ref("created_by", "people.id", null=True),
    schema.past("created_at"),
    schema.past("removed_at", null=True),
    sa.Index("ix_apps_organization_id", "organization_id"),
    leaves=schema.ExportFile("apps", "An app that was entered by hand, without its secret."),
    life=schema.KEPT,
)

registered_apps: Final = schema.table(
    "registered_apps",
    # Registered by themselves (RFC 7591), for the whole installation. The id is the client id.
    schema.id_(),
    schema.text("name", schema.CODE),
    schema.json("redirect_uris", tuple[str, ...], schema.CODE),
    schema.secret_digest("secret_digest", null=True),
    # A digest of the IP address, under the installation's key: how many it has registered is counted.
    schema.word("address"),
    schema.past("created_at"),
    sa.Index("ix_registered_apps_address_created_at", "address", "created_at"),
    leaves=schema.Stays("apps of the installation, which no organization owns; `grants` names those allowed"),
    erasure=schema.Exempt(_CLIENTS),
    life=schema.PRUNED,
    rows_of="people",
)

authorization_requests: Final = schema.table(
    "authorization_requests",
    schema.secret_digest(primary=True),
    schema.word("app_id"),
    schema.text("client_id", schema.CODE),
    schema.text("app_name", schema.CODE),
    schema.word("app_host"),
    # Of an app made by hand: the only organization that it can be connected to.
    schema.word("organization_id", null=True),
    schema.text("redirect_uri", schema.CODE),
    schema.text("state", schema.CODE, null=True),
    schema.word("challenge"),
    schema.word("scope"),
    schema.word("door"),
    # The address of the installation, as the client knows it.
    schema.word("issuer"),
    schema.word("address"),
    schema.past("created_at"),
    schema.time("expires_at", schema.Ahead(AUTHORIZATION_LIFE_MS)),
    sa.Index("ix_authorization_requests_address", "address"),
    sa.Index("ix_authorization_requests_expires_at", "expires_at"),
    leaves=schema.Stays("requests that wait for a person, for ten minutes"),
    erasure=schema.Exempt(_CLIENTS),
    life=schema.expires("expires_at"),
    rows_of="people",
)

authorization_codes: Final = schema.table(
    "authorization_codes",
    schema.secret_digest(primary=True),
    schema.of_organization(),
    schema.ref("grant_id", "grants.id"),
    schema.text("redirect_uri", schema.CODE),
    schema.word("challenge"),
    schema.past("created_at"),
    schema.time("expires_at", schema.Ahead(CODE_LIFE_MS)),
    schema.past("used_at", null=True),
    sa.Index("ix_authorization_codes_expires_at", "expires_at"),
    leaves=schema.Stays("digests of codes that live for a minute"),
    erasure=schema.Exempt("digests, and addresses of programs"),
    life=schema.expires("expires_at", CODE_KEPT_MS),
)

refresh_tokens: Final = schema.table(
    "refresh_tokens",
    schema.secret_digest(primary=True),
    schema.of_organization(),
    schema.ref("grant_id", "grants.id"),
    schema.past("created_at"),
    schema.time("expires_at", schema.Ahead(REFRESH_TOKEN_IDLE_MS)),
    schema.past("used_at", null=True),
    # The digest of the token that its first use was answered with.
    schema.secret_digest("successor", null=True),
    sa.Index("ix_refresh_tokens_grant_id", "grant_id"),
    sa.Index("ix_refresh_tokens_expires_at", "expires_at"),
    leaves=schema.Stays("digests of tokens"),
    erasure=schema.Exempt("digests alone"),
    life=schema.expires("expires_at"),
)
