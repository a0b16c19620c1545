"""The site that a form or an embed is bound to, and the origins that it accepts.

The rule: the site's domain and its subdomains, with `www.`, scheme and port ignored. What is
bound to no site accepts any origin, and a request without `Origin` comes from a server and is
accepted.
"""

import re
from ipaddress import IPv4Address, IPv6Address
from typing import Final
from urllib.parse import urlsplit

from svc.domain.errors import InvalidValue
from svc.domain.net.hosts import ascii_host

_ADDRESS: Final = re.compile(
    r"(?:https?://|//)?(?P<host>\[[^\[\]]*\]|[^\s/?#@:\\\[\]]+)(?::[0-9]{0,5})?(?:[/?#].*)?",
    re.IGNORECASE | re.DOTALL,
)
# Browsers write an origin as scheme, ASCII host and port, and nothing else (RFC 6454 §6.2). A label
# with an underscore breaks the rule of host names, yet there are sites under such names.
_ORIGIN: Final = re.compile(
    r"(?P<scheme>https?)://(?P<host>[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::(?P<port>[0-9]{1,5}))?"
)
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}

_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})


def normalise_domain(text: str) -> str:
    """The domain of the site that *text* names: a host or a whole address, as people paste it.

    Scheme, port, path, a trailing dot and `www.` go; what stays is lower-case ASCII. `localhost`
    and IP addresses (IPv6 in brackets) are taken too, for development.

    Raises `InvalidValue` if there is no domain in it.
    """
    match = _ADDRESS.fullmatch(text.strip())
    if match is None:
        raise InvalidValue("a site is named by its domain, such as example.com")
    host = match["host"]
    try:
        if host.startswith("["):
            return f"[{IPv6Address(host[1:-1])}]"
        if host.rpartition(".")[2].isdecimal():
            return str(IPv4Address(host))
    except ValueError as error:
        raise InvalidValue("not an IP address") from error
    host = ascii_host(host)
    bare = host.removeprefix("www.")
    if "." in bare or bare == "localhost":
        return bare
    if "." in host:  # www.com: without its first label nothing but a top-level domain were left
        return host
    raise InvalidValue("a domain has a dot in it, such as example.com")


def origin_allowed(origin: str | None, domain: str | None) -> bool:
    """Whether a request whose `Origin` header is *origin* may use what is bound to *domain*.

    *domain* is as `normalise_domain` gives it, or None for what is bound to no site. An origin
    that is `null`, or no http or https origin at all, is not the site's.
    """
    if origin is None or domain is None:
        return True
    match = _ORIGIN.fullmatch(origin.lower()) if origin.isascii() else None
    if match is None:
        return False
    host = match["host"].removesuffix(".")
    return host == domain or host.endswith("." + domain)


def same_origin(origin: str, scheme: str, authority: str) -> bool:
    """Whether *origin* is that of the pages at *scheme* and *authority*, a host with or without a port.

    As browsers compare (RFC 6454 section 5): by scheme, host and port, where a port that is not there is the
    scheme's own.
    """
    parts = _parts(origin)
    return parts is not None and parts == _parts(f"{scheme}://{authority}")


def origin_is_own(origin: str, base_url: str) -> bool:
    """Whether *origin* is that of pages at *base_url*, or of pages that this machine itself serves.

    The `Host` header is not compared: by DNS rebinding an attacker chooses it.
    """
    match = _ORIGIN.fullmatch(origin)
    own = urlsplit(base_url)
    return same_origin(origin, own.scheme, own.netloc) or (match is not None and match["host"] in _LOOPBACK)


def _parts(origin: str) -> tuple[str, str, int] | None:
    match = _ORIGIN.fullmatch(origin.lower()) if origin.isascii() else None
    if match is None:
        return None
    return match["scheme"], match["host"], int(match["port"] or _DEFAULT_PORTS[match["scheme"]])
