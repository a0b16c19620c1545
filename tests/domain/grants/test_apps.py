"""What apps tell of themselves, in a metadata document or when they register."""

from typing import Any

import msgspec
import pytest

from svc.domain.grants import apps
from svc.domain.grants.apps import ClientMetadata
from svc.domain.grants.oauth import OAuthRefusal

ADDRESS = "https://app.example/client.json"


def document(**changes: Any) -> bytes:
    told = {
        "client_id": ADDRESS,
        "client_name": "Reports",
        "redirect_uris": ["javascript:1", "https://app.example/callback"],
        "token_endpoint_auth_method": "none",
        "logo_uri": "https://app.example/logo.png",
    }
    return msgspec.json.encode({name: value for name, value in (told | changes).items() if value is not None})


@pytest.mark.parametrize(
    ("client_id", "is_one"),
    [
        (ADDRESS, True),
        ("https://app.example:8443/a/b.json?v=1", True),
        ("http://app.example/client.json", False),
        ("https://app.example", False),
        ("https://app.example/", False),
        ("https://user@app.example/client.json", False),
        ("https://app.example/a/../client.json", False),
        ("https://app.example/%2e/client.json", False),
        ("https://app.example/client.json#1", False),
        ("https://app.example\\evil/client.json", False),
        ("https://" + "a" * 500 + "/client.json", False),
        ("app_01K5D3V7Q2M8Z4X6C9B1N0T5RA", False),
    ],
)
def test_which_client_ids_are_addresses_of_documents(client_id: str, is_one: bool) -> None:
    """https, with a path, and no second way to write it."""
    assert is_one == apps.is_document_address(client_id)


def test_an_app_by_its_document() -> None:
    """Under an id that follows from the address; what is refused of its redirects is left out."""
    app = apps.app_of_document(ADDRESS, document())

    assert ("Reports", ("https://app.example/callback",), None) == (
        app.name,
        app.redirect_uris,
        app.secret_digest,
    )
    assert app.id.startswith("app_")
    assert app.id == apps.app_of_document(ADDRESS, document(client_name="Other")).id
    assert "app.example" == apps.app_of_document(ADDRESS, document(client_name=" \u202e ")).name
    assert "app.example" == apps.host_of(app, "https://elsewhere.example/callback")


@pytest.mark.parametrize(
    ("raw", "error"),
    [
        (document(client_id="https://other.example/client.json"), "invalid_client"),
        (document(client_id=None), "invalid_client"),
        (document(token_endpoint_auth_method="client_secret_basic"), "invalid_client"),
        (document(client_secret="x"), "invalid_client"),
        (document(redirect_uris=[]), "invalid_redirect_uri"),
        (document(redirect_uris=["javascript:1"]), "invalid_redirect_uri"),
        (document(redirect_uris="https://app.example/"), "invalid_client_metadata"),
        (b"<html>", "invalid_client_metadata"),
        (b"[]", "invalid_client_metadata"),
        (b"\xff", "invalid_client_metadata"),
    ],
)
def test_a_document_is_refused(raw: bytes, error: str) -> None:
    """One of another id above all: anybody may copy one."""
    with pytest.raises(OAuthRefusal) as caught:
        apps.app_of_document(ADDRESS, raw)

    assert error == caught.value.error


@pytest.mark.parametrize(
    ("told", "method"),
    [
        ({}, "client_secret_basic"),
        ({"token_endpoint_auth_method": "none"}, "none"),
        ({"token_endpoint_auth_method": "client_secret_post"}, "client_secret_post"),
        ({"token_endpoint_auth_method": "private_key_jwt"}, None),
        ({"grant_types": ("client_credentials",)}, None),
        ({"response_types": ("token",)}, None),
        ({"application_type": "desktop"}, None),
        ({"application_type": "native", "token_endpoint_auth_method": "none"}, "none"),
    ],
)
def test_how_a_client_shows_who_it_is(told: dict[str, Any], method: str | None) -> None:
    """As it says, by a secret in the header where it says nothing; what is not served is refused."""
    metadata = ClientMetadata(**told)
    if method is not None:
        assert method == apps.auth_method_of(metadata)
        return
    with pytest.raises(OAuthRefusal) as caught:
        apps.auth_method_of(metadata)
    assert "invalid_client_metadata" == caught.value.error
