"""The rules of OAuth 2.1 as this service has them: redirect addresses, PKCE, scopes and resources.

Pure functions. Sources: RFC 6749 (the framework), RFC 7636 (PKCE), RFC 8252 (native apps), RFC 8707 (resource
indicators), RFC 9700 (security).
"""

import hmac
import re
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import ClassVar, Final, Literal
from urllib.parse import urlencode

from svc.domain.errors import DomainError, InvalidValue
from svc.domain.grants.limits import REDIRECT_URI_CHARS_MAX, REDIRECT_URIS_MAX, STATE_CHARS_MAX

Scope = Literal["tools", "tools.read"]
SCOPES: Final[tuple[Scope, ...]] = ("tools", "tools.read")
"""All that the person may; and of that, the tools that read."""

McpDoorName = Literal["mcp", "mcp_full"]
DOOR_PATHS: Final[Mapping[McpDoorName, str]] = {"mcp": "/api/v1/mcp", "mcp_full": "/api/v1/mcp/full"}
"""The doors that a grant can be for, and their paths below the address of the installation."""

OAuthCode = Literal[
    "invalid_request",
    "invalid_client",
    "invalid_grant",
    "unauthorized_client",
    "unsupported_grant_type",
    "unsupported_response_type",
    "invalid_scope",
    "invalid_target",
    "access_denied",
    "server_error",
    "temporarily_unavailable",
    "invalid_redirect_uri",
    "invalid_client_metadata",
    "unsupported_token_type",
]


class OAuthRefusal(DomainError):
    """Raised where a client's request is refused; *error* is the code of RFC 6749 and its kin."""

    def __init__(self, error: OAuthCode, description: str) -> None:
        super().__init__(description)
        self.error: Final = error


class BadRedirect(DomainError):
    """Raised for a client or redirect address that is not known: nothing may be sent to that address."""

    code: ClassVar[str] = "malformed_request"


# The host of an https address: names and IPv4 by their characters, IPv6 in brackets. No user, and nothing
# that browsers and servers could read differently: no backslash, no percent sign, no `@`.
_HTTPS: Final = re.compile(
    r"https://(?P<host>[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9])?|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?(?:[/?].*)?"
)
_LOOPBACK: Final = re.compile(
    r"(?P<start>http://(?P<host>localhost|127\.0\.0\.1|\[::1\]))(?::[0-9]{1,5})?(?P<rest>(?:[/?].*)?)"
)
"""RFC 8252 §7.3, and `localhost`, which widely used clients name."""
_PRIVATE: Final = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*):/{0,3}[^/?].*")
"""RFC 8252 §7.1: the scheme of a program of the person's machine, such as `cursor://`."""
_VISIBLE: Final = re.compile(r"[!$%&'()*+,./0-9:;=?@A-Z\[\]_a-z~-]+")
"""What RFC 3986 writes an address with, but for `#`: a fragment would swallow the answer."""
_NO_APP: Final = re.compile(
    "about|android-app|blob|callto|chrome|chrome-[a-z-]+|cid|content|data|devtools|dns|facetime|facetime-audio"
    "|feed|file|filesystem|ftps?|gopher|hcp|help|https?|intent|ios-app|irc|ircs|itms[a-z-]*|jar|javascript"
    "|ldaps?|livescript|magnet|mailto|market|mhtml|mid|mk|mocha|moz-[a-z-]+|ms-[a-z0-9+.-]+|news|nfs|rdp|res"
    "|resource|rtsp|search|search-ms|sftp|shell|sips?|sms|smsto|smb|ssh|svn|tel|telnet|urn|vbscript|view-source"
    "|vnc|webcal|wss?|x-javascript"
)
"""Schemes that run code, or that the browser or the system takes for itself: none is an app's own."""


def redirect_host(uri: str) -> str | None:
    """The host that *uri* leads to, `this device` for a program of the machine; None for a refused address.

    Taken: `https`; `http` on `localhost`, `127.0.0.1` and `[::1]`; private schemes.
    """
    if len(uri) > REDIRECT_URI_CHARS_MAX or not _VISIBLE.fullmatch(uri):
        return None
    if match := _HTTPS.fullmatch(uri):
        return match["host"].lower()
    if _LOOPBACK.fullmatch(uri):
        return THIS_DEVICE
    match = _PRIVATE.fullmatch(uri)
    return THIS_DEVICE if match and not _NO_APP.fullmatch(match["scheme"]) else None


THIS_DEVICE: Final = "this device"
"""Stands for the host of a redirect that stays on the person's machine."""


def usable_redirects(uris: Iterable[str]) -> tuple[str, ...]:
    """Those of *uris* that a client may have; a refused one does not refuse the others.

    Raises `OAuthRefusal` where none is left, or they are too many.
    """
    usable = tuple(dict.fromkeys(uri for uri in uris if redirect_host(uri) is not None))
    if not usable:
        raise OAuthRefusal(
            "invalid_redirect_uri",
            "`redirect_uris` needs an https address, an http address of this device (localhost, 127.0.0.1 or"
            " [::1]), or one with a scheme of the app's own; without user, fragment and other characters than"
            " those of RFC 3986",
        )
    if len(usable) > REDIRECT_URIS_MAX:
        raise OAuthRefusal("invalid_redirect_uri", f"at most {REDIRECT_URIS_MAX} redirect addresses")
    return usable


def redirect_fits(registered: Iterable[str], asked: str) -> bool:
    """Whether *asked* is one of the *registered* addresses, character by character.

    On a loopback address any port fits (RFC 8252 §7.3): the app takes the one that is free.
    """
    if redirect_host(asked) is None:
        return False
    wanted = _without_port(asked)
    return any(uri == asked or _without_port(uri) == wanted is not None for uri in registered)


def _without_port(uri: str) -> tuple[str, str] | None:
    """Of a loopback address, what is before its port and behind it; None for others."""
    match = _LOOPBACK.fullmatch(uri)
    return None if match is None else (match["start"], match["rest"])


def answer_address(redirect_uri: str, **members: str | None) -> str:
    """*redirect_uri* with the *members* of an answer in its query, beside what is there; None is left out."""
    query = urlencode({name: value for name, value in members.items() if value is not None})
    if "?" not in redirect_uri:
        return f"{redirect_uri}?{query}"
    return redirect_uri + query if redirect_uri[-1] in "?&" else f"{redirect_uri}&{query}"


_CHALLENGE: Final = re.compile(r"[A-Za-z0-9_-]{43}")
_VERIFIER: Final = re.compile(r"[A-Za-z0-9._~-]{43,128}")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f\ufffd]")
"""And what stands for bytes that are no UTF-8: it would come back as something else."""


def is_challenge(text: str) -> bool:
    """Whether *text* can be a challenge of the method S256 (RFC 7636 §4.2)."""
    return _CHALLENGE.fullmatch(text) is not None


def challenge_of(verifier: str) -> str:
    """The challenge of *verifier* by S256."""
    return urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def verifier_fits(verifier: str, challenge: str) -> bool:
    """Whether *verifier* is well-formed and the one that *challenge* was made of."""
    if not _VERIFIER.fullmatch(verifier):
        return False
    return hmac.compare_digest(challenge_of(verifier).encode(), challenge.encode())


def is_state(text: str) -> bool:
    """Whether *text* can be the `state` of a request: what the client gets back as it was.

    RFC 6749 §A.5 has visible ASCII and spaces; some clients send more, so only control characters are not.
    """
    return 0 < len(text) <= STATE_CHARS_MAX and not _CONTROL.search(text)


def scope_of(asked: str | None) -> Scope:
    """The widest scope that *asked*, a list by spaces, names. Unknown ones are left out; none is `tools`."""
    named = (asked or "").split(" ")
    return "tools.read" if "tools.read" in named and "tools" not in named else "tools"


def door_of(resource: str | None, bases: Sequence[str]) -> McpDoorName:
    """The MCP door that *resource* names below one of *bases*; the first door where nothing is named.

    Raises `OAuthRefusal` for anything else (RFC 8707 §2).
    """
    if resource is None:
        return "mcp"
    for base in bases:
        for door, path in DOOR_PATHS.items():
            if resource.removesuffix("/") == base + path:
                return door
    raise OAuthRefusal("invalid_target", "`resource` is neither of the MCP addresses of this service")


def one_each(pairs: Iterable[tuple[str, str]], known: Iterable[str]) -> dict[str, str]:
    """The parameters *known* of a request, by name; empty ones count as not sent (RFC 6749 §3.1).

    Raises `OAuthRefusal` for one of them that comes twice. Others are passed over.
    """
    wanted, found = frozenset(known), dict[str, str]()
    for name, value in pairs:
        if name not in wanted:
            continue
        if name in found:
            raise OAuthRefusal("invalid_request", f"`{name}` is there more than once")
        found[name] = value
    return {name: value for name, value in found.items() if value}


def known_name(text: str) -> str:
    """*text*, a name that an app gives itself, as people may be shown it: one line, no invisible characters.

    Raises `InvalidValue` where nothing is left.
    """
    shown = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    if not shown:
        raise InvalidValue("an app needs a name")
    return shown
