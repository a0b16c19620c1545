"""Which sites may use what is bound to a site."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.errors import InvalidValue
from svc.domain.net.origins import normalise_domain, origin_allowed, origin_is_own


@pytest.mark.parametrize(
    ("text", "domain"),
    [
        ("example.com", "example.com"),
        (" Example.COM. ", "example.com"),
        ("www.example.com", "example.com"),
        ("WWW.example.com", "example.com"),
        ("https://www.example.com/shop?x=1#top", "example.com"),
        ("http://example.com:8080", "example.com"),
        ("https://example.com?x@y", "example.com"),
        ("//example.com/", "example.com"),
        ("example.com:443/a/b", "example.com"),
        ("shop.example.co.uk", "shop.example.co.uk"),
        ("https://münchen.de/", "xn--mnchen-3ya.de"),
        ("www.com", "www.com"),
        ("www.localhost", "localhost"),
        ("localhost:3000", "localhost"),
        ("http://127.0.0.1:8000/demo/", "127.0.0.1"),
        ("http://[::1]:8000/", "[::1]"),
        ("[0:0:0::1]", "[::1]"),
    ],
)
def test_a_site_is_named_by_its_domain(text: str, domain: str) -> None:
    """Of a pasted address only the domain is kept, in lower-case ASCII and without `www.`."""
    assert domain == normalise_domain(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "   ",
            "com",
            "intranet",
            "https://",
            "https:///path",
            "ftp://example.com",
            "mailto:a@example.com",
        ),
        *(
            "user@example.com",
            "https://user:pw@example.com",
            "example .com",
            "exa\\mple.com",
            "*.example.com",
        ),
        *("127.1", "1.2.3.256", "300", "[::1", "[nonsense]", "::1", "example.com:port", "example.com:1:2"),
        *("javascript:alert(1)", "<example.com>", "example..com", "www.", "a\nb.com"),
    ],
)
def test_what_names_no_site_is_refused(text: str) -> None:
    """Without a domain that a site could stand under, the address is refused."""
    with pytest.raises(InvalidValue):
        normalise_domain(text)


@given(
    st.text(max_size=40)
    | st.from_regex(r"(https?://)?(www\.)?[a-z0-9.-]{1,20}(:[0-9]{1,4})?/?", fullmatch=True)
)
def test_a_domain_stays_as_it_is(text: str) -> None:
    """A domain that came out once comes out the same again."""
    try:
        domain = normalise_domain(text)
    except InvalidValue:
        return

    assert domain in {normalise_domain(domain), "www.com"} or domain.startswith("www.")


@pytest.mark.parametrize(
    "origin",
    [
        "https://example.com",
        "http://example.com",
        "https://www.example.com",
        "https://shop.example.com",
        "https://a.b.c.example.com",
        "https://under_score.example.com",
        "https://example.com:8443",
        "HTTPS://Example.COM",
        "https://example.com.",
        None,
    ],
)
def test_the_site_and_its_subdomains_are_let_in(origin: str | None) -> None:
    """The bound site's domain, whatever scheme, port or subdomain, may; so may a server without an origin."""
    assert origin_allowed(origin, "example.com")


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "",
        "https://evil-example.com",
        "https://evilexample.com",
        "https://example.com.evil.com",
        "https://example.co",
        "https://com",
        "https://example.com@evil.com",
        "https://evil.com@example.com",
        "https://example.com:80:80",
        "https://example.com:",
        "https://example.com/",
        "https://example.com/path",
        "https://evil.com#example.com",
        "https://evil.com/.example.com",
        "https://evil.com\\.example.com",
        "https://example.com..",
        "https://example.com evil.com",
        "https://example.com\n",
        " https://example.com",
        "https://example.com https://evil.com",
        "https://evil.com,https://example.com",
        "ftp://example.com",
        "file://",
        "chrome-extension://example.com",
        "//example.com",
        "example.com",
        "https://",
        "https://exa\u0301mple.com",
        "https://еxample.com",
        "https://example\u3002com",
        "https://xn--xample-2of.com",
        "https://[::1]",
        "https://example.com\x00",
    ],
)
def test_every_other_site_is_kept_out(origin: str) -> None:
    """Look-alikes, other schemes, `null` and what no browser writes are not the bound site."""
    assert not origin_allowed(origin, "example.com")


@given(st.none() | st.text(max_size=60))
def test_what_is_bound_to_no_site_lets_anyone_in(origin: str | None) -> None:
    """Unbound, any origin may, `null` and nonsense too."""
    assert origin_allowed(origin, None)


label = st.from_regex(r"[a-z0-9]{1,8}", fullmatch=True)
domain = st.lists(label, min_size=1, max_size=3).map(lambda labels: ".".join([*labels, "example"]))


@given(domain, domain, st.sampled_from(["", ":80", ":3000"]), st.sampled_from(["http", "https"]))
def test_exactly_the_names_under_a_domain_are_let_in(bound: str, host: str, port: str, scheme: str) -> None:
    """An origin may exactly when its labels end with all those of the bound domain."""
    ends_so = host.split(".")[-len(bound.split(".")) :] == bound.split(".")

    assert ends_so == origin_allowed(f"{scheme}://{host}{port}", bound)


@pytest.mark.parametrize(
    ("bound", "origin"),
    [
        ("http://localhost:5173", "http://localhost:3000"),
        ("127.0.0.1", "http://127.0.0.1:8000"),
        ("http://[::1]/", "http://[::1]:8000"),
        ("https://www.münchen.de", "https://xn--mnchen-3ya.de"),
        ("www.example.com", "https://example.com"),
    ],
)
def test_a_site_as_people_write_it_lets_itself_in(bound: str, origin: str) -> None:
    """The domain that is made of what people paste is the one that their browsers send."""
    assert origin_allowed(origin, normalise_domain(bound))


@pytest.mark.parametrize(
    ("origin", "own"),
    [
        ("https://svc.example.com", True),
        ("http://localhost:6274", True),
        ("https://127.0.0.1", True),
        ("http://[::1]:8000", True),
        ("https://svc.example.com:443", True),
        ("http://svc.example.com", False),
        ("https://svc.example.com:8443", False),
        ("https://evil.example", False),
        ("http://localhost.evil.example", False),
        ("http://localhost:6274/path", False),
        ("null", False),
        ("", False),
    ],
)
def test_the_services_own_origin(origin: str, own: bool) -> None:
    """That of its base address, and every one of this machine; nothing that only looks like them."""
    assert own == origin_is_own(origin, "https://svc.example.com/below")
