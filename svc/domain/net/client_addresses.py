"""Client addresses: the address behind proxies, and the keyed hashes of senders and visitors.

An address itself is never kept. A sender is a keyed hash of it (of an IPv6 address only its /64,
since one customer of a network usually has all of that); a visitor is a keyed hash of the whole
address and the browser's name.
"""

import hmac
import re
from collections.abc import Iterable, Iterator, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, TypeAlias

from svc.domain.errors import InvalidValue
from svc.domain.limits import PROXY_HOPS_MAX

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network

_HASH_BYTES: Final = 16
_SUBSCRIBER_BYTES: Final = 8
"""The first 64 bits of an IPv6 address: the network of one customer."""

_WITH_PORT: Final = re.compile(r"(?:\[(?P<v6>[^\[\]]*)\]|(?P<v4>[0-9.]+))(?::[0-9]{1,5})?")
_FORWARDED_PAIR: Final = re.compile(
    r'\s*(?P<name>[^\s;="]+)=(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<plain>[^\s;"]+))\s*(?:;|$)'
)


def sender_of(address: str, secret: bytes) -> str:
    """The keyed hash of the sender at *address*: 32 hexadecimal digits, the same for a whole IPv6 /64.

    A peer that is no address (of a Unix socket, say) is hashed as its own text.
    """
    parsed = _parse(address)
    if isinstance(parsed, IPv6Address):
        return _hashed(secret, b"6" + parsed.packed[:_SUBSCRIBER_BYTES])
    return _hashed(secret, _tagged(parsed, address))


def subscriber_of(address: str) -> str:
    """The key that all addresses of one customer share: of IPv6 the /64, else the address itself."""
    if ":" not in address:
        return address
    parsed = _parse(address)
    if isinstance(parsed, IPv6Address):
        return parsed.packed[:_SUBSCRIBER_BYTES].hex()
    return address if parsed is None else str(parsed)


def visitor_of(address: str, user_agent: str, day_key: bytes) -> str:
    """The hash of the browser at *address* under the key of a day: 32 hexadecimal digits."""
    # An address has the length that its tag says, so that no two pairs are the same bytes.
    return _hashed(day_key, _tagged(_parse(address), address) + user_agent.encode("utf-8", "surrogatepass"))


def parse_address(text: str) -> str | None:
    """The one address that *text* is, in its shortest form; None when it is anything else.

    A port and the brackets around an IPv6 address are dropped, as is the zone of a link-local
    one. An IPv4 address written as IPv6 (`::ffff:192.0.2.1`) is the IPv4 address.
    """
    parsed = _parse(text)
    return None if parsed is None else str(parsed)


def parse_networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """The networks that *texts* name, such as `10.0.0.0/8` or a single address.

    Raises `InvalidValue` for the first that is not a network.
    """
    try:
        return tuple(ip_network(text.strip(), strict=False) for text in texts)
    except ValueError as error:
        raise InvalidValue(str(error)) from error


def is_trusted(peer: str, trusted_proxies: Sequence[Network]) -> bool:
    """Whether the socket's *peer* is a trusted proxy."""
    address = _parse(peer)
    return address is not None and _is_in(address, trusted_proxies)


def peer_address(peer: str, headers: Iterable[tuple[str, str]], trusted_proxies: Sequence[Network]) -> str:
    """The address that a request came from, as far as it can be believed.

    That is the socket's *peer*, unless it is a trusted proxy: then the right-most hop that is
    not one, of `X-Forwarded-For` or, where there is none, of `Forwarded` (RFC 7239). Every hop
    to the left of that could be made up. A hop that cannot be read ends the walk at the last
    good one. A proxy that writes `Forwarded` must drop `X-Forwarded-For`, which wins here.
    """
    address = _parse(peer) if trusted_proxies else None
    if address is None or not _is_in(address, trusted_proxies):
        return peer
    for hop in _hops(headers):
        if hop is None:
            break
        address = hop
        if not _is_in(address, trusted_proxies):
            break
    return str(address)


def _hops(headers: Iterable[tuple[str, str]]) -> Iterator[Address | None]:
    """The hops that the request went through, nearest first; None for one that cannot be read."""
    listed: dict[str, list[str]] = {"x-forwarded-for": [], "forwarded": []}
    for name, value in headers:
        values = listed.get(name.lower())
        if values is not None:
            values.append(value)
    if listed["x-forwarded-for"]:
        return map(_parse, _from_right(listed["x-forwarded-for"]))
    return map(_forwarded_for, _from_right(listed["forwarded"]))


def _from_right(values: list[str]) -> Iterator[str]:
    # No address has a comma in it, so that commas part hops even where a quote was left open:
    # what a client wrote on the left cannot swallow what a proxy added on the right.
    return reversed(",".join(values).rsplit(",", PROXY_HOPS_MAX)[-PROXY_HOPS_MAX:])


def _forwarded_for(element: str) -> Address | None:
    """The `for` of one element of `Forwarded`, when the whole element is well-formed."""
    address = None
    position = 0
    while position < len(element):
        pair = _FORWARDED_PAIR.match(element, position)
        if pair is None:
            return None
        if pair["name"].lower() == "for":
            address = pair["quoted"] or pair["plain"]
        position = pair.end()
    return None if address is None else _parse(address)


def _parse(text: str) -> Address | None:
    text = text.strip()
    with_port = _WITH_PORT.fullmatch(text)
    if with_port is not None:
        text = with_port["v6"] or with_port["v4"] or ""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return (isinstance(address, IPv6Address) and address.ipv4_mapped) or address


def _is_in(address: Address, networks: Sequence[Network]) -> bool:
    return any(address in network for network in networks)


def _tagged(address: Address | None, text: str) -> bytes:
    if address is None:
        raw = text.encode("utf-8", "surrogatepass")
        return b"?" + len(raw).to_bytes(4, "big") + raw
    return (b"6" if isinstance(address, IPv6Address) else b"4") + address.packed


def _hashed(key: bytes, message: bytes) -> str:
    return hmac.digest(key, message, "sha256")[:_HASH_BYTES].hex()
