"""Clients: the app behind a client id, and that it is the one who asks."""

import hmac
import re
from typing import Final

from svc.actors.system import System
from svc.domain.crypto.keys import digest
from svc.domain.grants.apps import App, auth_method_of, is_document_address, name_of, read_metadata
from svc.domain.grants.oauth import OAuthRefusal, usable_redirects
from svc.domain.net.client_addresses import sender_of
from svc.storage.grants import apps
from svc.storage.grants.apps import RegisteredApp
from svc.storage.store import Owner

_APP_ID: Final = re.compile(r"app_[0-9A-Z]{26}")


async def find(system: System, client_id: str, sender: str) -> App:
    """The app with that client id: made by hand, registered, or by its metadata document.

    *sender* is a digest of the IP address that asks.

    Raises:
        OAuthRefusal: there is none.
        TooManyAttempts: that address had too many documents fetched.
        Unavailable: too many are fetched now.
    """
    if is_document_address(client_id):
        return await system.grants.documents.find(client_id, sender)
    return await _stored(system, client_id)


async def _stored(system: System, client_id: str) -> App:
    app: App | None = None
    if _APP_ID.fullmatch(client_id):  # PostgreSQL takes no text with a NUL, say
        app = await system.store.of(Owner.CREDENTIALS).read(apps.find, client_id)
    if app is None:
        raise OAuthRefusal("invalid_client", "there is no client of that id here")
    return app


async def authenticate(system: System, client_id: str, secret: str | None) -> None:
    """Check that the client of that id is there, and that *secret* is its, if it has one.

    A client with a metadata document has no secret, and what it exchanges names it: nothing is fetched.
    Raises `OAuthRefusal`.
    """
    is_public = is_document_address(client_id)
    expected = None if is_public else (await _stored(system, client_id)).secret_digest
    given = None if secret is None else digest(secret)
    if expected is None and given is None:
        return
    if not hmac.compare_digest((expected or "").encode(), (given or "").encode()):
        raise OAuthRefusal("invalid_client", "the client's secret is missing or wrong")


async def register(system: System, raw: bytes, address: str) -> tuple[RegisteredApp, str | None, str]:
    """Register the app that tells *raw* of itself, from the IP *address*: it, its secret, and its method.

    Raises:
        OAuthRefusal: what it tells is refused.
        TooManyAttempts, Unavailable: too many have registered, from that address or at all.
    """
    metadata = read_metadata(raw)
    method = auth_method_of(metadata)
    redirect_uris = usable_redirects(metadata.redirect_uris)
    sender = sender_of(address, system.secrets.sender)
    units = system.store.of(Owner.PEOPLE)
    name = name_of(metadata, "An app without a name")
    app, secret = await units.write(apps.register, name, redirect_uris, sender, method)
    return app, secret, method
