"""Where requests may go, over the registries of special-purpose addresses, and as addresses are written."""

from ipaddress import ip_address, ip_network

import pytest

from svc.domain.errors import InvalidValue
from svc.domain.net.client_addresses import parse_networks
from svc.domain.net.egress import check_host, may_reach

REFUSED = [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.0.0/29",
    "192.0.0.8/32",
    "192.0.0.9/32",
    "192.0.0.10/32",
    "192.0.0.170/31",
    "192.0.2.0/24",
    "192.88.99.0/24",
    "192.88.99.2/32",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "240.0.0.0/4",
    "255.255.255.255/32",
    "224.0.0.0/4",
    "::1/128",
    "::/128",
    "::/96",
    "64:ff9b:1::/48",
    "100::/64",
    "100:0:0:1::/64",
    "2001::/23",
    "2001::/32",
    "2001:1::1/128",
    "2001:1::2/128",
    "2001:1::3/128",
    "2001:2::/48",
    "2001:3::/32",
    "2001:4:112::/48",
    "2001:10::/28",
    "2001:20::/28",
    "2001:30::/28",
    "2001:db8::/32",
    "2002::/16",
    "3fff::/20",
    "5f00::/16",
    "fc00::/7",
    "fe80::/10",
    "fec0::/10",
    "ff00::/8",
    "::ffff:0:0:0/96",
    "200::/7",
    "400::/6",
    "1000::/4",
    "4000::/3",
    "6000::/3",
    "8000::/3",
    "a000::/3",
    "c000::/3",
    "e000::/4",
    "f000::/5",
    "f800::/6",
    "fe00::/9",
    "168.63.129.16/32",
    "169.254.169.254/32",
    "100.100.100.200/32",
    "192.0.0.192/32",
    "fd00:ec2::254/128",
    "fd20:ce::254/128",
]
"""IANA's registries of special-purpose addresses for IPv4 and IPv6, its registry of IPv6 blocks, and clouds'
metadata. All that we refuse of them, which is more than is not globally reachable by their word."""
REACHED = [
    "1.1.1.1/32",
    "8.8.8.0/24",
    "100.63.255.255/32",
    "100.128.0.0/32",
    "126.255.255.255/32",
    "128.0.0.0/32",
    "169.253.255.255/32",
    "172.15.255.255/32",
    "172.32.0.0/32",
    "192.0.1.0/24",
    "192.31.196.0/24",
    "192.52.193.0/24",
    "192.167.255.255/32",
    "192.175.48.0/24",
    "198.17.255.255/32",
    "198.20.0.0/32",
    "203.0.112.0/24",
    "223.255.255.255/32",
    "2001:200::/23",
    "2001:4860:4860::8888/128",
    "2003::/18",
    "2400::/12",
    "2606:4700::/32",
    "2620:4f:8000::/48",
    "2a00::/12",
    "2001:dba::/32",
    "3ffe:ffff::/32",
    "3fff:1000::/20",
]
"""What is next to those, what they call globally reachable, and some that everybody knows."""


def _ends(network: str) -> list[str]:
    net = ip_network(network)
    return [str(net[0]), str(net[net.num_addresses // 2]), str(net[-1])]


@pytest.mark.parametrize("network", REFUSED)
def test_special_addresses_are_not_reached(network: str) -> None:
    """Neither the first of them nor the last."""
    assert [False] * 3 == [may_reach(ip_address(one), ()) for one in _ends(network)]


@pytest.mark.parametrize("network", REACHED)
def test_public_addresses_are_reached(network: str) -> None:
    """What is beside a special network is not taken for a part of it."""
    assert [True] * 3 == [may_reach(ip_address(one), ()) for one in _ends(network)]


@pytest.mark.parametrize("network", [one for one in REFUSED + REACHED if "." in one])
def test_ipv4_inside_of_ipv6_is_judged_as_ipv4(network: str) -> None:
    """Mapped, or behind the well-known prefix of NAT64."""
    for one in _ends(network):
        plain = may_reach(ip_address(one), ())
        for around in ("::ffff:", "64:ff9b::"):
            assert plain == may_reach(ip_address(around + one), ())


def test_a_network_that_the_operator_allows_is_reached() -> None:
    """And no other one, also where its addresses are written as IPv6."""
    allowed = parse_networks(["10.1.0.0/16", "fd00::/8"])

    reached = ["10.1.2.3", "::ffff:10.1.2.3", "64:ff9b::10.1.2.3", "fd12::1"]
    assert [True] * 4 == [may_reach(ip_address(one), allowed) for one in reached]
    assert [False] * 3 == [may_reach(ip_address(one), allowed) for one in ("10.2.0.1", "fc00::1", "::1")]


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.0.0.1.", "0", "10.0.0.1:8080"),
        *(
            "[::1]",
            "[::ffff:10.0.0.1]",
            "[64:ff9b::7f00:1]",
            "[fe80::1%25eth0]",
            "[fec0::1]:443",
            "[3fff::1]",
        ),
    ],
)
def test_a_private_address_is_refused_however_it_is_written(host: str) -> None:
    """In an URL, before anything is sent there."""
    with pytest.raises(InvalidValue, match="private"):
        check_host(f"https://{host}/hook", ())


@pytest.mark.parametrize("host", ["bridge.example", "localhost", "10.example", "1.1.1.1", "[2606::1]"])
def test_names_and_public_addresses_pass(host: str) -> None:
    """Where a name leads is not known before it is connected to."""
    check_host(f"https://{host}/hook", ())


def test_an_allowed_address_passes() -> None:
    """The configuration decides."""
    check_host("http://127.0.0.1:9000/", parse_networks(["127.0.0.1/32"]))
