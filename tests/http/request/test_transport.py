"""Behind TLS: the cookies' names and attributes, and `Strict-Transport-Security`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from svc.domain.crypto.keys import SESSION, well_formed
from svc.domain.net.client_addresses import parse_networks
from svc.http.app import public_app
from tests.http.asking import ADDRESS, client_of
from tests.people import a_member
from tests.town import HASHER, town

PASSWORD = "correct horse battery"
GOOD = {"email": "ada@example.com", "password": PASSWORD}
PROXY = (f"{ADDRESS}/32",)
YEAR = "max-age=31536000"


@asynccontextmanager
async def browser(
    base: str = "http://svc.test", proxies: tuple[str, ...] = (), **asked: Any
) -> AsyncIterator[httpx.AsyncClient]:
    """A client that keeps cookies as they are set, whatever a browser would have made of them."""
    async with town() as here, here.live_system() as system:
        await here.store.write(
            a_member, here.organization.id, "ada@example.com", password_hash=HASHER.hash(PASSWORD)
        )
        app = public_app(system, trusted_proxies=parse_networks(proxies), **asked)
        async with client_of(app) as client:
            client.base_url = httpx.URL(base)
            yield client


def cookies_of(answer: httpx.Response) -> dict[str, set[str]]:
    """The attributes of each cookie that was set."""
    found = {}
    for line in answer.headers.get_list("set-cookie"):
        pair, *attributes = line.split("; ")
        found[pair.partition("=")[0]] = set(attributes)
    return found


BY_TLS = {"x-forwarded-proto": "https"}
MOVED = {"public_url": "https://shop.example:8443/crm"}


@pytest.mark.parametrize(
    ("base", "proxies", "asked", "headers", "own", "foreign"),
    [
        ("http://svc.test", (), {}, {}, "http://svc.test", "https://svc.test"),
        ("http://svc.test", (), {}, {}, "http://svc.test:80", "http://svc.test:8000"),
        ("http://svc.test:8000", (), {}, {}, "http://svc.test:8000", "http://svc.test"),
        ("https://svc.test", (), {}, {}, "https://svc.test", "http://svc.test"),
        ("https://svc.test:443", (), {}, {}, "https://svc.test", "https://svc.test:80"),
        ("http://[::1]:8000", (), {}, {}, "http://[::1]:8000", "http://[::1]"),
        ("http://svc.test", PROXY, {}, BY_TLS, "https://svc.test", "http://svc.test"),
        ("http://svc.test", ("192.0.2.99/32",), {}, BY_TLS, "http://svc.test", "https://svc.test"),
        ("http://10.0.0.1:8000", PROXY, MOVED, {}, "https://shop.example:8443", "https://shop.example"),
        ("http://10.0.0.1:8000", (), MOVED, {}, "https://shop.example:8443", "http://shop.example:8443"),
        ("http://svc.test", (), {}, {}, "http://svc.test", "http://a@svc.test"),
        ("http://svc.test", (), {}, {}, "http://svc.test", "null"),
        ("http://svc.test", (), {}, {}, "http://svc.test", "ftp://svc.test"),
    ],
)
async def test_only_the_services_own_pages_sign_in(  # noqa: PLR0917  # they are names
    base, proxies, asked, headers, own, foreign, autojump_clock
):
    """Scheme, host and port are compared, as the browser saw them: in front of a proxy that is trusted."""
    async with browser(base, proxies, **asked) as client:
        rejected = await client.post("/app/api/sign-in", json=GOOD, headers=headers | {"origin": foreign})
        answer = await client.post("/app/api/sign-in", json=GOOD, headers=headers | {"origin": own})

    assert (403, 200) == (rejected.status_code, answer.status_code)


@pytest.mark.parametrize(
    ("base", "proxies", "asked", "proto", "encrypted"),
    [
        ("https://svc.test", (), {}, None, True),
        ("http://svc.test", PROXY, {}, "https", True),
        ("http://svc.test", PROXY, {}, "http", False),
        ("http://svc.test", ("192.0.2.99/32",), {}, "https", False),
        ("http://svc.test", PROXY, {"public_url": "https://svc.test"}, None, True),
        ("http://svc.test", PROXY, {"public_url": "https://svc.test"}, "http", True),
        ("http://127.0.0.1", (), {"public_url": "https://svc.test"}, None, False),
        ("http://127.0.0.1", (), {}, None, False),
    ],
)
async def test_cookies_are_the_hosts_own_behind_tls(  # noqa: PLR0917  # they are names
    base, proxies, asked, proto, encrypted, autojump_clock
):
    """`__Host-` and `Secure`; where nothing is encrypted, as on one's own machine, neither would be kept."""
    async with browser(base, proxies, **asked) as client:
        headers = {} if proto is None else {"x-forwarded-proto": proto}
        answer = await client.post("/app/api/sign-in", json=GOOD, headers=headers)

        found = cookies_of(answer)
        names = ["svc_session", "svc_browser"]
        assert [f"__Host-{one}" if encrypted else one for one in names] == list(found)
        for attributes in found.values():
            assert {"HttpOnly", "Path=/", "SameSite=Lax"} <= attributes
            assert encrypted == ("Secure" in attributes)
            assert not any(one.startswith("Domain") for one in attributes)
        kept = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
        client.cookies.clear()
        again = await client.get("/app/api/session", headers=headers | {"cookie": kept})
        assert 200 == again.status_code


@pytest.mark.parametrize("path", ["session", "tools/organization.get"])
async def test_a_plain_cookie_is_no_session_behind_tls(path, autojump_clock):
    """Another host of the domain could have set it. Nor is a `__Host-` one where nothing is encrypted."""
    async with browser("https://svc.test") as client:
        signed_in = await client.post("/app/api/sign-in", json=GOOD)
        token, csrf = client.cookies["__Host-svc_session"], signed_in.json()["csrfToken"]
        client.cookies.clear()
        statuses = []
        for base, name in (
            ("https://svc.test", "svc_session"),
            ("https://svc.test", "__Host-svc_session"),
            ("http://svc.test", "__Host-svc_session"),
            ("http://svc.test", "svc_session"),
        ):
            method = "GET" if path == "session" else "POST"
            answer = await client.request(
                method,
                f"{base}/app/api/{path}",
                json=None if method == "GET" else {},
                headers={"cookie": f"{name}={token}", "x-csrf-token": csrf},
            )
            statuses.append(answer.status_code)

        assert well_formed(token, SESSION)
        assert [401, 200, 401, 200] == statuses


async def test_signing_out_takes_the_cookie_back_under_its_name(autojump_clock):
    """A browser drops a `__Host-` cookie only for what is `Secure` too."""
    async with browser("https://svc.test") as client:
        csrf = (await client.post("/app/api/sign-in", json=GOOD)).json()["csrfToken"]
        answer = await client.post("/app/api/sign-out", headers={"x-csrf-token": csrf})

        attributes = cookies_of(answer)["__Host-svc_session"]
        assert {"Max-Age=0", "Secure", "Path=/"} <= attributes
        assert ["__Host-svc_browser"] == list(client.cookies)


@pytest.mark.parametrize(
    ("base", "proxies", "proto", "seconds", "told"),
    [
        ("https://svc.test", (), None, 31_536_000, YEAR),
        ("https://svc.test:8443", (), None, 60, "max-age=60"),
        ("https://svc.test", (), None, 0, None),
        ("http://svc.test", (), None, 31_536_000, None),
        ("http://svc.test", PROXY, "https", 31_536_000, YEAR),
        ("http://svc.test", PROXY, "http", 31_536_000, None),
        ("http://svc.test", ("192.0.2.99/32",), "https", 31_536_000, None),
        ("https://localhost:8443", (), None, 31_536_000, None),
    ],
)
@pytest.mark.parametrize("path", ["/app/api/session", "/api/v1/tools/record.get", "/nowhere", "/t.js"])
async def test_browsers_get_strict_transport_security(  # noqa: PLR0917  # they are names
    base, proxies, proto, seconds, told, path, autojump_clock
):
    """In every answer that goes out by TLS, at hot doors and at others, and in none that does not."""
    async with browser(base, proxies, strict_transport_seconds=seconds) as client:
        headers = {} if proto is None else {"x-forwarded-proto": proto}
        answer = await client.get(path, headers=headers)

        assert told == answer.headers.get("strict-transport-security")
