"""Egress: which addresses the service connects to on behalf of customers.

An address for pushes must not be a way to what only this machine can reach (SSRF): the machine itself, the
networks around it, or the metadata service of its cloud.
"""

import socket
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final
from urllib.parse import urlsplit

from svc.domain.errors import InvalidValue
from svc.domain.net.client_addresses import Address, Network

_NAT64: Final = ip_network("64:ff9b::/96")
"""IPv4 inside of IPv6, by RFC 6052."""
_UNICAST: Final = ip_network("2000::/3")
"""The IPv6 that is assigned to networks (RFC 4291, IANA); the rest is special, obsolete or unassigned."""
# What IANA's registries of special-purpose addresses do not call globally reachable, and some that they do.
# Not left to `ipaddress`, which knows another state of them in each release of Python.
_REFUSED: Final[tuple[Network, ...]] = tuple(
    map(
        ip_network,
        (
            "0.0.0.0/8",  # RFC 791: this network
            "10.0.0.0/8",  # RFC 1918: private
            "100.64.0.0/10",  # RFC 6598: carriers' translation; Alibaba's metadata is in it
            "127.0.0.0/8",  # RFC 1122: loopback
            "168.63.129.16/32",  # Azure's metadata, on an address that looks public
            "169.254.0.0/16",  # RFC 3927: link-local; most clouds' metadata is in it
            "172.16.0.0/12",  # RFC 1918: private
            "192.0.0.0/24",  # RFC 6890: protocols; Oracle's metadata is in it
            "192.0.2.0/24",  # RFC 5737: documentation
            "192.88.99.0/24",  # RFC 7526: relays that are no more
            "192.168.0.0/16",  # RFC 1918: private
            "198.18.0.0/15",  # RFC 2544: benchmarks
            "198.51.100.0/24",  # RFC 5737: documentation
            "203.0.113.0/24",  # RFC 5737: documentation
            "224.0.0.0/4",  # RFC 5771: multicast
            "240.0.0.0/4",  # RFC 1112: reserved, and the broadcast address
            "2001::/23",  # RFC 2928: protocols, Teredo among them
            "2001:db8::/32",  # RFC 3849: documentation
            "2002::/16",  # RFC 3056: 6to4, which leads to whatever IPv4 address is inside
            "3fff::/20",  # RFC 9637: documentation
        ),
    )
)


def may_reach(address: Address, allowed: Sequence[Network]) -> bool:
    """Whether *address* is a public host's, or in one of the *allowed* networks of the configuration."""
    inner = _inner(address)
    if any(address in network or inner in network for network in allowed):
        return True
    if isinstance(inner, IPv6Address) and inner not in _UNICAST:
        return False
    return not any(inner in network for network in _REFUSED)


def check_host(url: str, allowed: Sequence[Network]) -> None:
    """Raises `InvalidValue` if the host of *url* is a forbidden address, however it is written.

    A name passes: the addresses that it resolves to are checked at each connection.
    """
    address = literal_address(urlsplit(url).hostname or "")
    if address is not None and not may_reach(address, allowed):
        raise InvalidValue("the address is private, or not one that may be reached")


def literal_address(host: str) -> Address | None:
    """The address that *host* is, in the old forms of IPv4 too: `127.1`, `0x7f000001`, `2130706433`."""
    try:
        return ip_address(host)
    except ValueError:
        pass
    try:
        return IPv4Address(socket.inet_aton(host.removesuffix(".")))
    except (OSError, UnicodeError):
        return None


def _inner(address: Address) -> Address:
    """The IPv4 address that is written as IPv6, where that is what *address* is."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return address.ipv4_mapped
        if address in _NAT64:
            return IPv4Address(int(address) & 0xFFFFFFFF)
    return address
