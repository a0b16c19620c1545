"""Who sends: addresses behind proxies, and the names that senders and visitors are kept under."""

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.errors import InvalidValue
from svc.domain.net.client_addresses import parse_address, parse_networks, peer_address, sender_of, visitor_of

SECRET = b"a secret of the installation"
PROXIES = parse_networks(["127.0.0.0/8", "10.0.0.0/8", "2001:db8:ffff::/48"])

addresses = st.ip_addresses().map(str)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("203.0.113.9", "203.0.113.9"),
        (" 203.0.113.9 ", "203.0.113.9"),
        ("203.0.113.9:5071", "203.0.113.9"),
        ("2001:DB8:0::1", "2001:db8::1"),
        ("[2001:db8::1]", "2001:db8::1"),
        ("[2001:db8::1]:443", "2001:db8::1"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("[::ffff:cb00:7109]:80", "203.0.113.9"),
        ("fe80::1%eth0", "fe80::1"),
        ("", None),
        ("unknown", None),
        ("_hidden", None),
        ("203.0.113.9, 198.51.100.1", None),
        ("203.0.113.9 198.51.100.1", None),
        ("203.0.113.256", None),
        ("203.0.113.09", None),
        ("203.0.113", None),
        ("3405803785", None),
        ("203.0.113.9:", None),
        ("203.0.113.9:x", None),
        ("[2001:db8::1", None),
        ("[203.0.113.9", None),
        ("2001:db8::1]:80", None),
        ("[]", None),
        ("example.com", None),
        ("203.0.113.9/24", None),
        ("٢٠٣.0.113.9", None),
        ("203.0.113.9\x00", None),
    ],
)
def test_one_address_is_read_and_nothing_else(text: str, address: str | None) -> None:
    """An address is read with its port, brackets and zone dropped; anything else is no address."""
    assert address == parse_address(text)


@given(st.text(max_size=80))
def test_any_text_is_an_address_or_not(text: str) -> None:
    """No text breaks the reading of an address, and what is read reads as itself."""
    address = parse_address(text)

    assert address is None or address == parse_address(address)


@given(st.ip_addresses(v=4), st.binary(min_size=1, max_size=40))
def test_an_ipv4_sender_is_its_whole_address(address: IPv4Address, secret: bytes) -> None:
    """Two IPv4 addresses are two senders; written as IPv6 one is the same sender."""
    neighbour = IPv4Address(int(address) ^ 1)

    assert sender_of(str(address), secret) == sender_of(f"::ffff:{address}", secret)
    assert sender_of(str(address), secret) != sender_of(str(neighbour), secret)


@given(st.ip_addresses(v=6, network="2001:db8::/32"), st.integers(0, 2**64 - 1))
def test_an_ipv6_sender_is_its_64_bit_network(address: IPv6Address, host: int) -> None:
    """IPv6 addresses of one /64 are one sender, those of the next /64 another."""
    same = IPv6Address(int(address) >> 64 << 64 | host)
    other = IPv6Address(int(same) ^ 1 << 64)

    assert sender_of(str(address), SECRET) == sender_of(f"{same}%eth0", SECRET)
    assert sender_of(str(address), SECRET) != sender_of(str(other), SECRET)


@given(addresses)
def test_a_sender_does_not_tell_its_address(address: str) -> None:
    """A sender is 32 hexadecimal digits that depend on the secret."""
    sender = sender_of(address, SECRET)

    assert 32 == len(sender)
    assert set(sender) <= set("0123456789abcdef")
    assert sender != sender_of(address, b"another secret")


def test_what_is_no_address_is_a_sender_too() -> None:
    """The peer of a Unix socket has no address and is one sender, unlike any with an address."""
    assert sender_of("", SECRET) == sender_of("", SECRET)
    assert sender_of("", SECRET) != sender_of("0.0.0.0", SECRET)


pairs = st.tuples(addresses | st.text(max_size=12), st.text(max_size=12))


@given(pairs, pairs)
def test_a_visitor_is_one_address_and_one_browser(one: tuple[str, str], other: tuple[str, str]) -> None:
    """Two visitors have the same name exactly when address and browser are the same."""
    same = (parse_address(one[0]) or one[0], one[1]) == (parse_address(other[0]) or other[0], other[1])

    assert same == (visitor_of(*one, SECRET) == visitor_of(*other, SECRET))


def test_a_visitor_is_someone_else_the_next_day() -> None:
    """Under the key of another day the same visitor cannot be recognized."""
    assert visitor_of("203.0.113.9", "Mozilla/5.0", b"monday") != visitor_of(
        "203.0.113.9", "Mozilla/5.0", b"tuesday"
    )


def test_two_visitors_of_one_ipv6_network_are_two() -> None:
    """A visitor is identified by the whole address, where a sender is a /64."""
    assert visitor_of("2001:db8::1", "Mozilla/5.0", SECRET) != visitor_of(
        "2001:db8::2", "Mozilla/5.0", SECRET
    )


@pytest.mark.parametrize(
    ("headers", "address"),
    [
        ([], "127.0.0.1"),
        ([("X-Forwarded-For", "203.0.113.9")], "203.0.113.9"),
        ([("x-forwarded-for", "6.6.6.6, 203.0.113.9")], "203.0.113.9"),
        ([("X-Forwarded-For", "6.6.6.6, 203.0.113.9, 10.0.0.7")], "203.0.113.9"),
        ([("X-Forwarded-For", "6.6.6.6"), ("X-Forwarded-For", "203.0.113.9")], "203.0.113.9"),
        ([("X-Forwarded-For", "203.0.113.9:4711, 10.0.0.7")], "203.0.113.9"),
        ([("X-Forwarded-For", "10.0.0.3, 10.0.0.7")], "10.0.0.3"),
        ([("X-Forwarded-For", "6.6.6.6, what, 10.0.0.7")], "10.0.0.7"),
        ([("X-Forwarded-For", "what")], "127.0.0.1"),
        ([("X-Forwarded-For", "")], "127.0.0.1"),
        ([("X-Forwarded-For", "6.6.6.6,, 10.0.0.7")], "10.0.0.7"),
        ([("X-Forwarded-For", "2001:db8::1, 2001:db8:ffff::1")], "2001:db8::1"),
        ([("Forwarded", "for=203.0.113.9")], "203.0.113.9"),
        ([("Forwarded", "For=203.0.113.9;proto=https;by=10.0.0.1")], "203.0.113.9"),
        ([("Forwarded", 'proto=https; for="203.0.113.9:4711" ; by=10.0.0.1')], "203.0.113.9"),
        ([("Forwarded", 'for="[2001:db8::1]:4711", for=10.0.0.7')], "2001:db8::1"),
        ([("Forwarded", "for=6.6.6.6, for=203.0.113.9"), ("Forwarded", "for=10.0.0.7")], "203.0.113.9"),
        ([("Forwarded", "for=unknown, for=10.0.0.7")], "10.0.0.7"),
        ([("Forwarded", "for=_hidden")], "127.0.0.1"),
        ([("Forwarded", "proto=https")], "127.0.0.1"),
        ([("Forwarded", 'for="6.6.6.6, for=203.0.113.9')], "203.0.113.9"),
        ([("Forwarded", 'for="203.0.113.9')], "127.0.0.1"),
        ([("Forwarded", 'host="x;for=6.6.6.6;y";for=203.0.113.9')], "203.0.113.9"),
        ([("Forwarded", 'for=203.0.113.9;host="x,for=6.6.6.6;y="')], "127.0.0.1"),
        ([("Forwarded", "for=6.6.6.6"), ("X-Forwarded-For", "203.0.113.9")], "203.0.113.9"),
        ([("Host", "example.com"), ("X-Real-IP", "6.6.6.6")], "127.0.0.1"),
    ],
)
def test_behind_trusted_proxies_the_nearest_other_hop_sent_it(
    headers: list[tuple[str, str]], address: str
) -> None:
    """The right-most hop that is no trusted proxy sent it; a hop that cannot be read ends the walk."""
    assert address == peer_address("127.0.0.1", headers, PROXIES)


@given(st.lists(st.tuples(st.sampled_from(["X-Forwarded-For", "Forwarded"]), st.text(max_size=40))))
def test_an_untrusted_proxy_is_not_believed(headers: list[tuple[str, str]]) -> None:
    """A peer outside the trusted networks is the sender, whatever headers it sends."""
    assert "203.0.113.9" == peer_address("203.0.113.9", headers, PROXIES)
    assert "127.0.0.1" == peer_address("127.0.0.1", headers, ())


@given(st.text(max_size=60), addresses)
def test_what_a_client_writes_on_the_left_changes_nothing(written: str, real: str) -> None:
    """Whatever a client puts into the headers, the hop that the proxy added to them wins."""
    through_list = peer_address("127.0.0.1", [("X-Forwarded-For", f"{written}, {real}")], PROXIES)
    through_pairs = peer_address("127.0.0.1", [("Forwarded", f'{written}, for="[{real}]"')], PROXIES)
    if not any(ip_address(parse_address(real) or "") in network for network in PROXIES):
        assert parse_address(real) == through_list == through_pairs


def test_a_chain_of_any_length_is_walked_a_bounded_way() -> None:
    """Of thousands of hops, all of them trusted, only the nearest are looked at."""
    chain = ", ".join(f"10.0.{n // 250}.{n % 250}" for n in range(5_000))

    assert "10.0.19.218" == peer_address("127.0.0.1", [("X-Forwarded-For", chain)], PROXIES)


def test_a_peer_without_an_address_stays_as_it_is() -> None:
    """The peer of a Unix socket is handed back as it came."""
    assert "" == peer_address("", [("X-Forwarded-For", "203.0.113.9")], PROXIES)


def test_networks_are_read_with_or_without_their_length() -> None:
    """A single address is a network too, and bits behind the length do not matter."""
    assert ["10.0.0.0/8", "192.0.2.1/32"] == [str(n) for n in parse_networks([" 10.1.2.3/8", "192.0.2.1"])]


def test_what_is_no_network_is_named() -> None:
    """A text that is no network is refused, and the refusal says which."""
    with pytest.raises(InvalidValue, match=r"proxy\.local"):
        parse_networks(["10.0.0.0/8", "proxy.local"])
