"""Apps: those made by hand, and those that registered themselves."""

from typing import Final

import msgspec
import sqlalchemy as sa

from svc.domain.crypto.keys import APP_SECRET, digest, new_key
from svc.domain.errors import (
    Fault,
    InvalidInput,
    InvalidValue,
    NotFound,
    PersonOnly,
    TooManyAttempts,
    Unavailable,
)
from svc.domain.grants.apps import App, AuthMethod
from svc.domain.grants.limits import (
    APPS_MADE_MAX,
    REGISTRATION_WINDOW_MS,
    REGISTRATIONS_MAX,
    REGISTRATIONS_OF_ADDRESS_MAX,
)
from svc.domain.grants.oauth import known_name, redirect_host
from svc.domain.identity.callers import Call
from svc.domain.input.near_names import shown
from svc.storage.grants import tables
from svc.storage.identity import authorization, grant_ends
from svc.storage.identity import tables as identity_tables
from svc.storage.rows import Rows
from svc.storage.store import Tx


class MadeApp(msgspec.Struct, frozen=True, kw_only=True):
    """An app that was made by hand. Times are ms since the epoch."""

    id: str
    organization_id: str
    name: str
    redirect_uris: tuple[str, ...]
    secret_digest: str | None
    created_by: str | None
    created_at: int
    removed_at: int | None = None


class RegisteredApp(msgspec.Struct, frozen=True, kw_only=True):
    """An app that registered itself. Times are ms since the epoch."""

    id: str
    name: str
    redirect_uris: tuple[str, ...]
    secret_digest: str | None
    address: str
    created_at: int


class CreatedApp(msgspec.Struct, frozen=True):
    """A new app, and its secret, which is returned this once."""

    app: MadeApp
    secret: str | None


_made: Final = tables.apps.c
_registered: Final = tables.registered_apps.c
APPS: Final = Rows(tables.apps, MadeApp, empty={"redirect_uris": tuple})
REGISTERED: Final = Rows(tables.registered_apps, RegisteredApp, empty={"redirect_uris": tuple})
_GET_MADE = APPS.prepared(APPS.select(_made.id == sa.bindparam("id"), _made.removed_at.is_(None)))
_GET_REGISTERED = REGISTERED.prepared(REGISTERED.select(_registered.id == sa.bindparam("id")))
_HAS_GRANT: Final = (
    sa.select(identity_tables.grants.c.id).where(identity_tables.grants.c.app_id == _registered.id).exists()
)


def find(conn: sa.Connection, client_id: str) -> App | None:
    """The app with that client id, made by hand or registered."""
    made = _GET_MADE.one(conn, id=client_id)
    if made is not None:
        return App(
            id=made.id,
            client_id=made.id,
            source="made",
            name=made.name,
            redirect_uris=made.redirect_uris,
            secret_digest=made.secret_digest,
            organization_id=made.organization_id,
        )
    registered = _GET_REGISTERED.one(conn, id=client_id)
    if registered is None:
        return None
    return App(
        id=registered.id,
        client_id=registered.id,
        source="registered",
        name=registered.name,
        redirect_uris=registered.redirect_uris,
        secret_digest=registered.secret_digest,
    )


def create(tx: Tx, call: Call, name: str, redirect_uris: tuple[str, ...], *, secret: bool) -> CreatedApp:
    """Make an app by hand, with a secret if it can keep one.

    Raises:
        PersonOnly, Forbidden: the caller is no person with the permission `security`.
        InvalidInput: the name or a redirect address is refused, or there are too many apps.
    """
    authorization.require(tx.conn, call, "security")
    if call.caller.person_id is None:
        raise PersonOnly("sign in to enter an app")
    organization_id = call.caller.organization_id
    if len(list_all(tx.conn, organization_id)) >= APPS_MADE_MAX:
        raise InvalidInput([Fault("", "too_many", f"{APPS_MADE_MAX} apps are here, which is the limit")])
    value = new_key(APP_SECRET, tx.random) if secret else None
    app = MadeApp(
        id=tx.new_id("app"),
        organization_id=organization_id,
        name=_clean(name, redirect_uris),
        redirect_uris=tuple(dict.fromkeys(redirect_uris)),
        secret_digest=None if value is None else digest(value),
        created_by=call.caller.person_id,
        created_at=tx.now,
    )
    APPS.insert(tx.conn, app)
    return CreatedApp(app, value)


def list_all(conn: sa.Connection, organization_id: str) -> list[MadeApp]:
    """The organization's apps that were made by hand, the oldest first."""
    own = (_made.organization_id == organization_id, _made.removed_at.is_(None))
    return APPS.all(conn, APPS.select(*own).order_by(_made.id))


def remove(tx: Tx, call: Call, app_id: str) -> int:
    """Remove an app that was made by hand, which ends its grants; return how many these were.

    Raises:
        PersonOnly, Forbidden: the caller is no person with the permission `security`.
        NotFound: no such app.
    """
    authorization.require(tx.conn, call, "security")
    organization_id = call.caller.organization_id
    own = (_made.id == app_id, _made.organization_id == organization_id, _made.removed_at.is_(None))
    if not tx.conn.execute(APPS.update(*own, removed_at=tx.now)).rowcount:
        raise NotFound(f"there is no app {shown(app_id)}")
    of_app = identity_tables.grants.c.app_id == app_id
    return len(grant_ends.end(tx, organization_id, "app_removed", of_app))


def register(
    tx: Tx, name: str, redirect_uris: tuple[str, ...], address: str, method: AuthMethod
) -> tuple[RegisteredApp, str | None]:
    """Register an app that came by itself; it and its secret, where it asked for one.

    When all places are taken, the oldest that nobody has connected goes. *address* is a digest.
    It is a unit of people.

    Raises `TooManyAttempts` where this address has registered too many, and `Unavailable` where all places
    are taken by apps that somebody has connected.
    """
    since = tx.now - REGISTRATION_WINDOW_MS
    recent = tx.conn.scalars(
        sa.select(_registered.created_at)
        .where(_registered.address == address, _registered.created_at > since)
        .order_by(_registered.created_at)
    ).all()
    if len(recent) >= REGISTRATIONS_OF_ADDRESS_MAX:
        wait = recent[-REGISTRATIONS_OF_ADDRESS_MAX] + REGISTRATION_WINDOW_MS - tx.now
        raise TooManyAttempts(
            "too many apps have registered from this address", retry_after_ms=max(wait, 1_000)
        )
    _make_room(tx)
    secret = None if method == "none" else new_key(APP_SECRET, tx.random)
    app = RegisteredApp(
        id=tx.new_id("app"),
        name=name,
        redirect_uris=redirect_uris,
        secret_digest=None if secret is None else digest(secret),
        address=address,
        created_at=tx.now,
    )
    REGISTERED.insert(tx.conn, app)
    return app, secret


def _make_room(tx: Tx) -> None:
    count = tx.conn.execute(sa.select(sa.func.count()).select_from(tables.registered_apps)).scalar_one()
    if count < REGISTRATIONS_MAX:
        return
    oldest = sa.select(_registered.id).where(~_HAS_GRANT).order_by(_registered.id).limit(1).scalar_subquery()
    if not tx.conn.execute(sa.delete(tables.registered_apps).where(_registered.id == oldest)).rowcount:
        raise Unavailable("no further app can register now", retry_after_seconds=3600)


def _clean(name: str, redirect_uris: tuple[str, ...]) -> str:
    faults = [
        Fault(
            f"/redirectUris/{place}",
            "invalid_value",
            "https, http on localhost, 127.0.0.1 or [::1], or a scheme of the app's own; no user or fragment",
        )
        for place, uri in enumerate(redirect_uris)
        if redirect_host(uri) is None
    ]
    try:
        name = known_name(name)
    except InvalidValue as error:
        faults.append(Fault("/name", "invalid_value", str(error)))
    if faults:
        raise InvalidInput(faults)
    return name
