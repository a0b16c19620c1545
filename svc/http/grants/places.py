"""The addresses of OAuth's doors, and of this installation as a client knows it."""

import re
from typing import Final
from urllib.parse import urlsplit

from svc.domain.grants.oauth import DOOR_PATHS, McpDoorName
from svc.http.fast_path import Request

RESOURCE_METADATA: Final = "/.well-known/oauth-protected-resource"
SERVER_METADATA: Final = "/.well-known/oauth-authorization-server"
OPENID_METADATA: Final = "/.well-known/openid-configuration"
AUTHORIZE: Final = "/oauth/authorize"
TOKEN: Final = "/oauth/token"  # noqa: S105  # an address
REVOKE: Final = "/oauth/revoke"
REGISTER: Final = "/oauth/register"

_LOOPBACK: Final = re.compile(r"(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?")


class Issuer:
    """The address of this installation: issuer of tokens, and start of the MCP addresses.

    Clients compare it as text, so it has no slash at its end. It is `server.public_url`; without that a
    request by a name of this machine has that name, and others have none: `Host` is anybody's word.
    """

    def __init__(self, public_url: str) -> None:
        self._public = public_url.rstrip("/")
        self.path: Final = urlsplit(self._public).path
        """Of `server.public_url`: clients ask for metadata with it behind the well-known part (RFC 8414)."""
        self._challenges = {
            door: _challenge(self._public, door) if self._public else b"Bearer" for door in DOOR_PATHS
        }

    def of(self, scheme: str, host: str | None) -> str | None:
        """The address, of a request to *host* by *scheme*."""
        if self._public:
            return self._public
        return f"{scheme}://{host}" if host and _LOOPBACK.fullmatch(host) else None

    def of_request(self, request: Request) -> str | None:
        """The address, of a request at the fast path."""
        return self.of(request.scheme, request.text("host"))

    def challenge(self, request: Request, door: McpDoorName) -> bytes:
        """The challenge of a 401 at an MCP door, the same for every cause (RFC 9728 §5.1)."""
        if self._public or (base := self.of_request(request)) is None:
            return self._challenges[door]
        return _challenge(base, door)


def _challenge(base: str, door: McpDoorName) -> bytes:
    return f'Bearer resource_metadata="{base}{RESOURCE_METADATA}{DOOR_PATHS[door]}"'.encode()
