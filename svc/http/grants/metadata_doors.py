"""The well-known metadata of the MCP doors (RFC 9728) and of the authorization server (RFC 8414)."""

from collections.abc import Callable
from typing import Any, Final

from werkzeug.exceptions import MethodNotAllowed, NotFound

from svc.domain.grants.oauth import DOOR_PATHS, SCOPES, McpDoorName
from svc.http.fast_path import Answer, Door, Request
from svc.http.grants.answers import error_answer, metadata, preflight
from svc.http.grants.places import (
    AUTHORIZE,
    OPENID_METADATA,
    REGISTER,
    RESOURCE_METADATA,
    REVOKE,
    SERVER_METADATA,
    TOKEN,
    Issuer,
)

_READS: Final = b"GET, HEAD, OPTIONS"
_AUTH_METHODS: Final = ["none", "client_secret_basic", "client_secret_post"]
_NAMES: Final[dict[McpDoorName, str]] = {"mcp": "Tools, found by search", "mcp_full": "Tools, all listed"}


class MetadataDoor:
    """Answers with what *describe* makes of the address of this installation; 404 where that is not known."""

    def __init__(self, issuer: Issuer, describe: Callable[[str], dict[str, Any]]) -> None:
        self._issuer = issuer
        self._describe = describe

    async def __call__(self, request: Request) -> Answer:
        if request.method == "OPTIONS":
            return preflight(request, _READS)
        if request.method not in {"GET", "HEAD"}:
            raise MethodNotAllowed(["GET", "HEAD", "OPTIONS"])
        base = self._issuer.of_request(request)
        if base is None:
            raise NotFound
        return metadata(self._describe(base))

    def problem_for(self, request: Request, error: Exception) -> Answer:
        return error_answer(request, error)


class NoMetadataDoor:
    """Answers 404 as JSON where clients look for metadata that there is not: a page would confuse them."""

    async def __call__(self, request: Request) -> Answer:  # noqa: ARG002  # every door's
        raise NotFound

    def problem_for(self, request: Request, error: Exception) -> Answer:
        return error_answer(request, error)


def doors(issuer: Issuer) -> dict[str, Door]:
    """The doors by their paths: below the public address, and at its host with its path behind."""
    found: dict[str, Door] = {}
    for public_path in ("", issuer.path):
        for door, path in DOOR_PATHS.items():
            found[RESOURCE_METADATA + public_path + path] = MetadataDoor(issuer, _describe_resource(door))
        found[SERVER_METADATA + public_path] = MetadataDoor(issuer, server_metadata)
    return found


def trees() -> dict[str, Door]:
    """The paths below which there is nothing else."""
    return dict.fromkeys((RESOURCE_METADATA, SERVER_METADATA, OPENID_METADATA), NoMetadataDoor())


def server_metadata(base: str) -> dict[str, Any]:
    """What clients are told of the authorization server at *base*."""
    return {
        "issuer": base,
        "authorization_endpoint": base + AUTHORIZE,
        "token_endpoint": base + TOKEN,
        "revocation_endpoint": base + REVOKE,
        "registration_endpoint": base + REGISTER,
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": _AUTH_METHODS,
        "revocation_endpoint_auth_methods_supported": _AUTH_METHODS,
        "authorization_response_iss_parameter_supported": True,
        "client_id_metadata_document_supported": True,
        "scopes_supported": SCOPES,
        "service_documentation": f"{base}/docs/connected-apps",
    }


def _describe_resource(door: McpDoorName) -> Callable[[str], dict[str, Any]]:
    def describe(base: str) -> dict[str, Any]:
        return {
            "resource": base + DOOR_PATHS[door],
            "authorization_servers": [base],
            "scopes_supported": SCOPES,
            "bearer_methods_supported": ["header"],
            "resource_name": _NAMES[door],
            "resource_documentation": f"{base}/docs/mcp",
        }

    return describe
