"""Domains that a site can be at."""

import subprocess
import sys

import pytest

from svc.domain.errors import InvalidValue
from svc.domain.sites.domains import is_shared, site_domain
from svc.domain.sites.limits import SITE_LABELS_MAX


@pytest.mark.parametrize(
    "text",
    [
        "co.uk",
        "https://www.co.uk/shop",
        "CO.UK.",
        "github.io",
        "myshopify.com",
        "s3.amazonaws.com",
        "公司.cn",
        "xn--55qx5d.cn",
        "anything.ck",
        "x.kawasaki.jp",
    ],
)
def test_a_public_suffix_cannot_be_a_site(text: str) -> None:
    """Registries' and platforms', in whatever spelling, by rules with `*` too."""
    with pytest.raises(InvalidValue, match="public suffix"):
        site_domain(text)


@pytest.mark.parametrize(
    ("text", "domain"),
    [
        ("https://www.lamps.co.uk/", "lamps.co.uk"),
        ("ada.github.io", "ada.github.io"),
        ("www.ck", "www.ck"),
        ("city.kawasaki.jp", "city.kawasaki.jp"),
        ("github.com", "github.com"),
        ("harbourlamps.example", "harbourlamps.example"),
        ("shop.intranet", "shop.intranet"),
        ("localhost:8000", "localhost"),
        ("http://127.0.0.1/", "127.0.0.1"),
        ("http://[::1]:8000/", "[::1]"),
    ],
)
def test_a_domain_of_one_owner_is_a_site(text: str, domain: str) -> None:
    """Below a suffix, an exception of a rule with `*`, a name of one's own network, and for development."""
    assert domain == site_domain(text)
    assert not is_shared(domain)


def test_the_labels_of_a_domain_are_limited() -> None:
    """To as many as the look-up of a page's host tries."""
    longest = "a." * (SITE_LABELS_MAX - 2) + "lamps.example"

    assert longest == site_domain(longest)
    with pytest.raises(InvalidValue, match="labels"):
        site_domain(f"a.{longest}")


def test_the_list_is_read_when_it_is_first_needed() -> None:
    """A service that makes no site does not have it in memory."""
    code = "import svc.cli.commands.run, svc.http.app, sys; print('publicsuffixlist' in sys.modules)"

    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert "False" == printed.strip()
