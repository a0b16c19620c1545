"""The front door: what a newcomer meets who knows no address yet, and what goes wrong in a browser."""

import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from svc.demo.shop_page import shop_blueprint
from svc.domain.errors import Unavailable
from svc.domain.net.client_addresses import parse_networks
from svc.http.app import described_app, public_app
from svc.http.docs.demo_shop import DemoShop
from svc.http.docs.pages import _VARIANTS_MAX
from svc.http.operator.app import operator_app
from tests.http.asking import client_of
from tests.http.docs.test_reference import BROWSER, Parts
from tests.town import town

SHOP = DemoShop(
    name="Harbour Lamps",
    form_key="svcf_public",
    honeypot="fax",
    embed_key="svce_public",
    owner_email="maren@harbour-lamps.example",
    directory="/srv/demo",
)
TOKEN = "the-operators-token"
HTML = {"accept": BROWSER}


@asynccontextmanager
async def visitor(
    demo: DemoShop | None = None, address: str = "192.0.2.7"
) -> AsyncIterator[httpx.AsyncClient]:
    async with (
        town() as here,
        here.live_system() as system,
        client_of(
            public_app(system, demo=demo, blueprints=() if demo is None else (shop_blueprint(demo),)), address
        ) as client,
    ):
        yield client


@asynccontextmanager
async def operator() -> AsyncIterator[httpx.AsyncClient]:
    async with town() as here, here.live_system() as system, client_of(operator_app(system, TOKEN)) as client:
        yield client


async def test_the_front_page_leads_on(autojump_clock):
    """To the guides, the walks, the reference, and to the demo where there is one."""
    async with visitor(SHOP) as client:
        demo = await client.get("/docs/welcome", headers=HTML)
    async with visitor() as client:
        plain = await client.get("/docs/welcome", headers=HTML)

    assert (200, "text/html; charset=utf-8") == (demo.status_code, demo.headers["content-type"])
    wanted = {
        "/app/",
        "/docs",
        "/docs/quickstart",
        "/docs/walk-form",
        "/docs/api",
        "/problems",
        "/docs/contract",
    }
    assert wanted | {"/demo/"} <= Parts(demo.text).addresses
    assert wanted <= Parts(plain.text).addresses
    assert "maren@harbour-lamps.example" in demo.text
    assert "data/demo.json" in demo.text
    assert "demo" not in {one.strip("/") for one in Parts(plain.text).addresses}
    assert "demo.json" not in plain.text


async def test_a_program_gets_the_addresses(autojump_clock):
    """`curl` without more gets JSON."""
    async with visitor(SHOP) as client:
        answer = await client.get("/docs/welcome")

    assert ("application/json", "svc") == (answer.headers["content-type"], answer.json()["service"])
    assert ("/docs", "/docs/api", "/demo/") == tuple(
        answer.json()[name] for name in ("guides", "reference", "demo")
    )
    assert "Accept" in answer.headers["vary"]


async def test_pages_have_the_address_that_their_reader_uses(autojump_clock):
    """So that what is copied from them works; what is no address stays what the guide says."""
    async with visitor() as client:
        own = await client.get("/docs/quickstart", headers={"host": "crm.example:8443"})
        bad = await client.get("/docs/quickstart", headers={"host": "x<y"})

    assert "http://crm.example:8443/api/v1/tools/record.list" in own.text
    assert "127.0.0.1:8000" not in own.text
    assert "x<y" not in bad.text
    assert own.headers["etag"]


async def test_only_a_trusted_proxy_says_that_there_is_tls(autojump_clock):
    """The header of any other peer is ignored."""
    headers = {"host": "crm.example", "x-forwarded-proto": "https"}
    async with town() as here, here.live_system() as system:
        trusting = public_app(system, trusted_proxies=parse_networks(["192.0.2.7"]))
        async with client_of(trusting) as client:
            behind = await client.get("/docs/quickstart", headers=headers)
        async with client_of(public_app(system)) as client:
            alone = await client.get("/docs/quickstart", headers=headers)

    assert "https://crm.example/api/" in behind.text
    assert "http://crm.example/api/" in alone.text


async def test_only_the_demos_own_machine_sees_where_its_keys_are(autojump_clock):
    """A path reveals the machine; behind a proxy every reader counts as remote."""
    async with visitor(SHOP, "127.0.0.1") as client:
        local = await client.get("/docs/quickstart")
        proxied = await client.get("/docs/quickstart", headers={"x-forwarded-for": "192.0.2.9"})
    async with visitor(SHOP) as client:
        remote = await client.get("/docs/quickstart")

    assert ". /srv/demo/demo.env" in local.text
    for page in (proxied, remote):
        assert "/srv/demo" not in page.text
        assert ". data/demo.env" in page.text


async def test_blocks_have_the_demos_public_keys(autojump_clock):
    """Those that stand on web pages anyway."""
    async with visitor(SHOP) as client:
        demo = (await client.get("/docs/embeds")).text
    async with visitor() as client:
        plain = (await client.get("/docs/embeds")).text

    assert 'data-svc-embed=<span class="text">&quot;svce_public&quot;' in demo
    assert "svce_public" not in plain


async def test_what_is_kept_for_readers_is_bounded():
    """However many names the service is asked under."""
    app, pages = described_app(trusted_proxies=())
    async with client_of(app) as client:
        for number in range(_VARIANTS_MAX + 20):
            answer = await client.get("/problems", headers={"host": f"h{number}.example"})
            assert 200 == answer.status_code

    assert _VARIANTS_MAX == len(pages._variants)
    assert 1 == len(pages._rendered)


async def test_a_page_is_not_sent_twice(autojump_clock):
    """A browser that has it gets 304; `HEAD` answers without the body."""
    async with visitor() as client:
        first = await client.get("/docs/forms")
        again = await client.get("/docs/forms", headers={"if-none-match": first.headers["etag"]})
        head = await client.head("/docs/forms")
        front = await client.head("/docs/welcome", headers=HTML)

    assert (304, b"") == (again.status_code, again.content)
    assert (200, b"", first.headers["etag"]) == (head.status_code, head.content, head.headers["etag"])
    assert (200, b"") == (front.status_code, front.content)


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("/docs/", "/docs"),
        ("/docs/api/", "/docs/api"),
        ("/docs/api/record.get/", "/docs/api/record.get"),
        ("/docs/forms/", "/docs/forms"),
        ("/docs/search/?q=a%20b", "/docs/search?q=a%20b"),
        ("/problems/", "/problems"),
        ("/problems/conflict/", "/problems/conflict"),
        ("/docs/forms.md", "/docs/forms"),
        ("/docs/decisions", "/docs#decisions"),
    ],
)
async def test_nearly_right_addresses_lead_on(autojump_clock, path, target):
    """A slash too many, or the name of the file."""
    async with visitor() as client:
        answer = await client.get(path)

    assert (True, target) == (answer.is_redirect, answer.headers["location"])


@pytest.mark.parametrize("path", ["//evil.example/docs/", "/nowhere/", "/docs/nothing/", "/%0d%0ax/"])
async def test_no_other_address_leads_anywhere(autojump_clock, path):
    """Least of all to another service."""
    async with visitor() as client:
        answer = await client.get(f"http://svc.test{path}")

    assert "evil.example" not in answer.headers.get("location", "").partition("?")[0].removeprefix(
        "http://svc.test/"
    )
    assert answer.status_code == 404 or answer.headers["location"].startswith("/docs")


async def test_the_demo_is_found_without_its_slash(autojump_clock):
    """`/demo` is what people type."""
    async with visitor(SHOP) as client:
        answer = await client.get("/demo", follow_redirects=False)

    assert answer.is_redirect
    assert answer.headers["location"].endswith("/demo/")


async def test_browsers_and_robots_find_their_files(autojump_clock):
    """An icon that is kept for a week, and what robots may read: embeds are parts of pages."""
    async with visitor() as client:
        icon = await client.get("/favicon.ico")
        robots = await client.get("/robots.txt")

    assert (200, "image/x-icon", b"\0\0\1\0") == (
        icon.status_code,
        icon.headers["content-type"],
        icon.content[:4],
    )
    assert "max-age=604800" in icon.headers["cache-control"]
    assert "Allow: /api/e/\nDisallow: /api/\n" in robots.text


@pytest.mark.parametrize("name", ["telegram", "xmpp"])
async def test_a_bridge_is_downloaded_as_it_is(autojump_clock, name: str):
    """A program of one file, which a browser shows as text; the guide beside it stays a page."""
    async with visitor() as client:
        answer = await client.get(f"/docs/bridges/{name}.py")
        guide = await client.get("/docs/bridges", headers=HTML)

    assert (200, "text/plain; charset=utf-8") == (answer.status_code, answer.headers["content-type"])
    assert (Path("examples/bridges") / f"{name}.py").read_bytes() == answer.content
    assert "text/html; charset=utf-8" == guide.headers["content-type"]


@pytest.mark.parametrize(
    "path",
    ["/nowhere", "/docs/nothing", "/problems/nothing", "/docs/images/x.png", "/docs/bridges/__init__.py"],
)
async def test_what_is_not_there_is_a_page_for_browsers(autojump_clock, path):
    """With the request's id and the way back; a program gets a problem."""
    async with visitor() as client:
        page = await client.get(path, headers={**HTML, "x-request-id": "<b>7"})
        problem = await client.get(path)

    assert (404, "text/html; charset=utf-8") == (page.status_code, page.headers["content-type"])
    assert {"/docs/welcome", "/docs", "/docs/api", "/problems/not_found"} <= Parts(page.text).addresses
    assert "&lt;b&gt;7" in page.text
    assert "no-store" in page.headers["cache-control"]
    assert (404, "not_found") == (problem.status_code, problem.json()["code"])
    assert "Accept" in page.headers["vary"]


async def test_a_wrong_method_is_a_page_too(autojump_clock):
    """Which names those that are right."""
    async with visitor() as client:
        answer = await client.post("/docs/forms", headers=HTML)

    assert (405, True) == (answer.status_code, "method_not_allowed" in answer.text)
    assert "GET" in answer.headers["allow"]


@pytest.mark.parametrize("path", ["/api/nowhere", "/app/api/session", "/api/v1/tools/record.get", "/api/f/s"])
async def test_answers_under_a_contract_are_the_same_for_browsers(autojump_clock, path):
    """Whatever the request accepts."""
    async with visitor() as client:
        page = await client.get(path, headers={**HTML, "x-request-id": "1"})
        program = await client.get(path, headers={"x-request-id": "1"})

    assert "html" not in page.headers["content-type"]
    assert (program.status_code, program.content) == (page.status_code, page.content)


@pytest.mark.parametrize(
    ("error", "status"),
    [(ValueError("secret"), 500), (Unavailable("full"), 503)],
)
async def test_faults_are_pages_that_tell_nothing(autojump_clock, error, status):
    """And when to come again, where that is known."""
    app, _ = described_app()

    async def fail() -> str:
        raise error

    app.add_url_rule("/fails", "fails", fail)
    async with client_of(app) as client:
        answer = await client.get("/fails", headers=HTML)

    assert (status, "text/html; charset=utf-8") == (answer.status_code, answer.headers["content-type"])
    assert "secret" not in answer.text
    assert isinstance(error, Unavailable) == ("retry-after" in answer.headers)


async def test_the_operators_front_page_asks_for_the_token(autojump_clock):
    """It says what it is, and no more; browsers see how to authenticate, on every other address as well."""
    async with operator() as client:
        page = await client.get("/", headers=HTML)
        told = await client.get("/")
        inside = await client.get("/debug/actors", headers={**HTML, "x-request-id": "1"})
        style = await client.get("/docs/page.css")
        look = [await client.get(path) for path in Parts(inside.text).addresses if path.startswith("/look/")]

    assert (200, True) == (page.status_code, "operator.token" in page.text)
    assert (200, "operator") == (told.status_code, told.json()["listener"])
    assert TOKEN not in page.text + told.text
    assert (401, "Bearer") == (inside.status_code, inside.headers["www-authenticate"])
    assert "text/html" in inside.headers["content-type"]
    assert {"/", "/docs/page.css", "/look/brand.css"} <= Parts(inside.text).addresses
    assert 200 == style.status_code
    assert {200} == {file.status_code for file in look}


async def test_the_typeface_is_kept_by_browsers_and_the_style_asked_for(autojump_clock):
    """A file of letters has its version in its name, and is compressed already."""
    async with visitor() as client:
        style = await client.get("/look/brand.css")
        [font] = re.findall(r"url\((/look/[^)]+-latin\.woff2)\)", style.text)
        letters = await client.get(font, headers={"accept-encoding": "gzip"})

    assert "no-cache" == style.headers["cache-control"]
    assert ("font/woff2", True) == (
        letters.headers["content-type"],
        "immutable" in letters.headers["cache-control"],
    )
    assert "content-encoding" not in letters.headers


def test_a_service_whose_pages_are_not_read_renders_none():
    """Neither for the parser of Markdown nor for the stems of words."""
    program = (
        "import sys; import svc.cli.commands.run; from svc.http.app import quart_app; quart_app();"
        "print([one for one in ('markdown_it', 'snowballstemmer') if one in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert "[]" == done.stdout.strip()


async def test_titles_of_guides_are_listed(autojump_clock):
    """For finding one by its name: each leads to a page with that title in its list."""
    async with visitor() as client:
        answer = await client.get("/docs/titles.json")
        again = await client.get("/docs/titles.json", headers={"if-none-match": answer.headers["etag"]})
        listed = (await client.get("/docs")).text
        guides = answer.json()["guides"]
        pages = [await client.get(guide["path"]) for guide in guides]

    assert (200, 304) == (answer.status_code, again.status_code)
    assert "Home and search" in [guide["title"] for guide in guides]
    assert {200} == {page.status_code for page in pages}
    assert [] == [guide for guide in guides if f'href="{guide["path"]}"' not in listed]
