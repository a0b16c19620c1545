"""Destinations: which addresses the service connects to on behalf of somebody.

Whoever names an address for pushes must not reach through us what only we can: our own machine, the networks
around it, or the place where a cloud keeps the machine's credentials.
"""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_network
from typing import Final

from svc.domain.senders import Address, Network

_NAT64: Final = ip_network("64:ff9b::/96")
"""IPv4 inside of IPv6, by RFC 6052."""
_REFUSED: Final[tuple[Network, ...]] = (
    ip_network("168.63.129.16/32"),  # Azure's metadata, on an address that looks public
    ip_network("192.0.0.0/24"),  # RFC 6890; Oracle's metadata is in it
    ip_network("192.88.99.0/24"),  # RFC 7526: relays that are no more
    ip_network("64:ff9b:1::/48"),  # RFC 8215: translation within a network
    ip_network("2001::/23"),  # RFC 2928: protocols, Teredo among them
    ip_network("2002::/16"),  # RFC 3056: 6to4, which leads to whatever IPv4 address is inside
)


def may_reach(address: Address, allowed: Sequence[Network]) -> bool:
    """Whether *address* is a public host's, or in one of the *allowed* networks of the configuration."""
    inner = _inner(address)
    if any(address in network or inner in network for network in allowed):
        return True
    return (
        inner.is_global
        and not inner.is_multicast
        and not inner.is_reserved
        and not any(inner in network for network in _REFUSED)
    )


def _inner(address: Address) -> Address:
    """The IPv4 address that is written as IPv6, where that is what *address* is."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return address.ipv4_mapped
        if address in _NAT64:
            return IPv4Address(int(address) & 0xFFFFFFFF)
    return address
