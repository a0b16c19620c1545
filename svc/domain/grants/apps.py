"""Apps: what asks people to be connected, and the metadata that it tells of itself."""

import re
from hashlib import sha256
from typing import Final, Literal
from urllib.parse import urlsplit

import msgspec

from svc.domain.errors import InvalidValue
from svc.domain.grants.limits import APP_NAME_CHARS_MAX, CLIENT_ID_CHARS_MAX
from svc.domain.grants.oauth import OAuthRefusal, known_name, redirect_host, usable_redirects
from svc.domain.ids import id_of_digest

AppSource = Literal["document", "registered", "made"]
"""By metadata document, by registration, or by hand."""
AuthMethod = Literal["none", "client_secret_basic", "client_secret_post"]

_DOCUMENT_ADDRESS: Final = re.compile(
    r"https://[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::[0-9]{1,5})?/[!$&'()*+,.0-9:;=@A-Z_a-z~/%?-]+"
)


class App(msgspec.Struct, frozen=True, kw_only=True):
    """An app, as requests are checked against it."""

    id: str
    """`app_…`."""
    client_id: str
    """Its id, or the address of its metadata document."""
    source: AppSource
    name: str
    redirect_uris: tuple[str, ...]
    secret_digest: str | None = None
    """None for a public client, which has no secret."""
    organization_id: str | None = None
    """Of an app made by hand: the organization alone that it can be connected to."""


class ClientMetadata(msgspec.Struct, kw_only=True):
    """What an app tells of itself (RFC 7591 §2), as far as it counts here; the rest is passed over."""

    client_id: str | None = None
    client_name: str | None = None
    redirect_uris: tuple[str, ...] = ()
    token_endpoint_auth_method: str | None = None
    grant_types: tuple[str, ...] | None = None
    response_types: tuple[str, ...] | None = None
    application_type: str | None = None
    scope: str | None = None
    client_secret: str | None = None


_DECODER: Final = msgspec.json.Decoder(ClientMetadata)


def is_document_address(client_id: str) -> bool:
    """Whether *client_id* is the address of a metadata document: https, with a path, written in one way."""
    if len(client_id) > CLIENT_ID_CHARS_MAX or not _DOCUMENT_ADDRESS.fullmatch(client_id):
        return False
    return not any(segment in {".", "..", "%2e", "%2E"} for segment in urlsplit(client_id).path.split("/"))


def read_metadata(raw: bytes) -> ClientMetadata:
    """The metadata in *raw*. Raises `OAuthRefusal` for what is none."""
    try:
        return _DECODER.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise OAuthRefusal("invalid_client_metadata", f"this is no client metadata: {error}") from None


def name_of(metadata: ClientMetadata, otherwise: str) -> str:
    """What the app is called: as it says, cut to what fits a line; *otherwise* where it says nothing."""
    try:
        return known_name(metadata.client_name or "")[:APP_NAME_CHARS_MAX]
    except InvalidValue:
        return otherwise[:APP_NAME_CHARS_MAX]


def app_id_of(address: str) -> str:
    """The id of the app whose metadata document is at *address*: always the same one."""
    return id_of_digest("app", sha256(address.encode()).digest())


def app_of_document(address: str, raw: bytes) -> App:
    """The app whose metadata document at *address* is *raw*.

    Raises `OAuthRefusal` for a document that is no metadata, names another client, or has a secret.
    """
    metadata = read_metadata(raw)
    if metadata.client_id != address:
        raise OAuthRefusal(
            "invalid_client", "the metadata document names another `client_id` than its own address"
        )
    method = metadata.token_endpoint_auth_method or "none"
    if metadata.client_secret is not None or method.startswith("client_secret"):
        raise OAuthRefusal("invalid_client", "a metadata document is public, and its client has no secret")
    return App(
        id=app_id_of(address),
        client_id=address,
        source="document",
        name=name_of(metadata, urlsplit(address).hostname or address),
        redirect_uris=usable_redirects(metadata.redirect_uris),
    )


def auth_method_of(metadata: ClientMetadata) -> AuthMethod:
    """How a client that registers will show who it is; by a secret in the header unless it says otherwise.

    A client of the person's machine has none to keep (RFC 8252 §8.5). Raises `OAuthRefusal`.
    """
    if metadata.grant_types is not None and "authorization_code" not in metadata.grant_types:
        raise OAuthRefusal("invalid_client_metadata", "`grant_types` needs `authorization_code`")
    if metadata.response_types is not None and "code" not in metadata.response_types:
        raise OAuthRefusal("invalid_client_metadata", "`response_types` needs `code`")
    if metadata.application_type not in {None, "web", "native"}:
        raise OAuthRefusal("invalid_client_metadata", "`application_type` is `web` or `native`")
    match metadata.token_endpoint_auth_method:
        case None | "client_secret_basic":
            return "client_secret_basic"
        case "none":
            return "none"
        case "client_secret_post":
            return "client_secret_post"
        case method:
            raise OAuthRefusal(
                "invalid_client_metadata",
                "`token_endpoint_auth_method` is `none`, `client_secret_basic` or `client_secret_post`, not"
                f" {method[:50]!r}",
            )


def host_of(app: App, redirect_uri: str) -> str:
    """The host that the person is shown: of the document that vouches for the app, else of the redirect."""
    if app.source == "document":
        return urlsplit(app.client_id).hostname or ""
    return redirect_host(redirect_uri) or ""
