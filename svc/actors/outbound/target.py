"""Where a URL leads: an origin, and the path at it."""

from functools import lru_cache
from ipaddress import IPv6Address
from typing import Final
from urllib.parse import quote, urlsplit

import msgspec

from svc.actors.outbound.errors import NotSent
from svc.domain.errors import InvalidValue
from svc.domain.net.egress import literal_address
from svc.domain.net.hosts import ascii_host

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_UNQUOTED: Final = "!$%&'()*+,/:;=?@[\\]^`{|}~"
"""Punctuation of a path and query that is sent as the user wrote it. Percent signs are of escapes already."""
_PARSED_MAX: Final = 1_000
"""Parsed URLs that are cached: parsing one costs as much as sending a small request."""


class Target(msgspec.Struct, frozen=True):
    """The parsed URL of a request."""

    origin: str
    """Scheme, host and port. Connections are kept by it."""
    host: str
    """The host's name in ASCII, or its IP address without brackets."""
    port: int
    tls: bool
    authority: str
    """The value of `Host`: with a port only where it is not the default (RFC 9110 section 7.2)."""
    path: str
    """Path and query, in ASCII."""


@lru_cache(_PARSED_MAX)
def parse_target(url: str) -> Target:
    """Parse *url*, an absolute `http` or `https` address without a user. Raises `NotSent`."""
    try:
        parts = urlsplit(url)
        port = parts.port
        host = _host(parts.hostname or "")
    except (ValueError, InvalidValue) as error:
        raise NotSent("not an address") from error
    default = _DEFAULT_PORTS.get(parts.scheme)
    # A line break is refused here, since `urlsplit` drops it without a word.
    if default is None or port == 0 or not url.isprintable() or " " in parts.netloc:
        raise NotSent("not an address")
    if "@" in parts.netloc:
        raise NotSent("an address with a user or a password is not sent to")
    bracketed = f"[{host}]" if ":" in host else host
    query = f"?{parts.query}" if parts.query else ""
    return Target(
        origin=f"{parts.scheme}://{bracketed}:{port or default}",
        host=host,
        port=port or default,
        tls=parts.scheme == "https",
        authority=bracketed if port in (None, default) else f"{bracketed}:{port}",
        path=quote((parts.path or "/") + query, safe=_UNQUOTED),
    )


def _host(text: str) -> str:
    """*text* as the wire has it: a name in ASCII, or an address in its usual form. Raises `InvalidValue`."""
    address = literal_address(text)
    if address is None:
        return ascii_host(text)
    if isinstance(address, IPv6Address) and address.scope_id is not None:
        raise InvalidValue("an address with a zone is of this machine alone")
    return str(address)
