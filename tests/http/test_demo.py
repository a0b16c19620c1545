"""The demo's page, as what it is sent as. What it does in a browser is in tests/browser."""

import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import Final, get_args
from urllib.parse import urljoin
from zipfile import ZipFile

import httpx
import msgspec
import trio

from svc.demo.shop_page import shop_blueprint
from svc.http.app import public_app
from svc.http.docs.demo_shop import DemoShop
from svc.http.forms.door import Reason
from svc.storage.embeds import embeds
from tests import tables
from tests.http.asking import client_of
from tests.town import Town, town

ROOT: Final = Path(__file__).parents[2]
FILES: Final = ROOT / "svc"


class Parts(HTMLParser):
    """What a page refers to, and the fields of its form."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.addresses: set[str] = set()
        self.ids: set[str] = set()
        self.fields: dict[str, str] = {}
        self.action = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        self.addresses |= {told[name] for name in ("href", "src", "action") if name in told}
        self.ids |= {told["id"]} if "id" in told else set()
        self.action = told.get("action", self.action)
        if tag in {"input", "select", "textarea"}:
            self.fields[told["name"]] = told.get("tabindex", "")
        assert not any(name == "style" or name.startswith("on") for name in told), f"inline in {tag}"
        assert tag != "style"
        assert tag != "script" or told["src"]


@asynccontextmanager
async def shop(name: str = "Harbour Lamps") -> AsyncIterator[tuple[Town, httpx.AsyncClient]]:
    """A town with the demo's form, and a visitor of the page."""
    async with town() as here, here.live_system() as system:
        form = await here.form(honeypot="fax", field_map={"town": "city"}, deal_title="{{lamp}}")
        made = await here.store.write(embeds.create, here.organization.id, name="Prices")
        demo = DemoShop(name=name, form_key=form.form_key, honeypot="fax", embed_key=made.embed_key)
        async with client_of(public_app(system, demo=demo, blueprints=[shop_blueprint(demo)])) as visitor:
            yield here, visitor


async def test_the_page_and_all_it_refers_to_is_there(autojump_clock):
    """The page needs nothing from anywhere else, and every address on it leads somewhere."""
    async with shop() as (_, visitor):
        page = await visitor.get("/demo/")
        parts = Parts(page.text)

        assert (200, "text/html; charset=utf-8") == (page.status_code, page.headers["content-type"])
        for address in parts.addresses - {parts.action}:
            if address.startswith("#"):
                assert address[1:] in parts.ids
            elif not address.startswith("tel:"):
                found = await visitor.get(urljoin("/demo/", address))
                assert 200 == found.status_code, address
                assert "nosniff" == found.headers["x-content-type-options"]


async def test_the_page_allows_itself_nothing_else(autojump_clock):
    """The policy lets in no inline script or style and no other origin, and no page may frame it."""
    async with shop() as (_, visitor):
        headers = (await visitor.get("/demo/")).headers

        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert {"'none'", "'self'"} == set(re.findall(r"'[^']*'|https?:\S*|\*", policy))
        assert ("nosniff", "same-origin") == (headers["x-content-type-options"], headers["referrer-policy"])


async def test_a_file_is_not_sent_twice(autojump_clock):
    """A browser that has the style sheet gets 304."""
    async with shop() as (_, visitor):
        first = await visitor.get("/demo/page.css")
        again = await visitor.get("/demo/page.css", headers={"if-none-match": first.headers["etag"]})

        assert (200, 304, b"") == (first.status_code, again.status_code, again.content)


async def test_the_shops_name_is_text(autojump_clock):
    """Whatever a shop is called, its name is no markup."""
    async with shop("Lamps & <script>alert(1)</script>") as (_, visitor):
        html = (await visitor.get("/demo/")).text

        assert "Lamps &amp; &lt;script&gt;" in html
        assert "<script>alert" not in html


async def test_the_plain_form_is_a_submission(autojump_clock):
    """What the form sends without scripts is taken and filed, field by field, and the page says how."""
    async with shop() as (here, visitor):
        html = (await visitor.get("/demo/")).text
        parts = Parts(html)
        typed = {
            "name": "Ada Lovelace",
            "email": "ada@example.com",
            "phone": "+49 30 123456",
            "lamp": "Brass pendant",
            "town": "London",
            "message": "Hello",
        }

        answer = await visitor.post(parts.action, data=typed | {"fax": ""})
        await trio.sleep(1)

        assert {**dict.fromkeys(typed, ""), "fax": "-1"} == parts.fields
        assert (200, {"ok": True}) == (answer.status_code, answer.json())
        assert {"filed": 1} == await here.states()
        contact, deal = await here.rows(tables.records)
        assert "London" == msgspec.json.decode(contact.properties)["city"]
        assert "Brass pendant" == msgspec.json.decode(deal.properties)["name"]
        assert "<noscript>" in html


async def test_what_falls_into_the_trap_is_held(autojump_clock):
    """A program that fills in every field is thanked, and held as spam."""
    async with shop() as (here, visitor):
        parts = Parts((await visitor.get("/demo/")).text)

        answer = await visitor.post(parts.action, data={"email": "ada@example.com", "fax": "555 0100"})
        await trio.sleep(1)

        assert 200 == answer.status_code
        assert [("held", "spam")] == [
            (row.state, row.held_reason) for row in await here.rows(tables.submissions)
        ]


async def test_without_a_demo_there_is_no_page(autojump_clock):
    """A service that is no demo has nothing under `/demo/`."""
    async with town() as here, here.live_system() as system, client_of(public_app(system)) as visitor:
        answer = await visitor.get("/demo/")

        assert (404, "not_found") == (answer.status_code, answer.json()["code"])


def test_every_reason_is_put_into_words():
    """The page's script knows each reason that the form's door gives; `error` is as any other failure."""
    script = (FILES / "demo" / "static" / "shop" / "page.js").read_text()

    assert [] == [reason for reason in get_args(Reason) if reason != "error" and reason not in script]


def test_pages_and_scripts_are_in_the_wheel(tmp_path):
    """The wheel contains everything that the doors serve."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    [wheel] = tmp_path.glob("*.whl")
    expected = {
        str(path.relative_to(ROOT))
        for directory in ("static", "templates")
        for path in FILES.rglob(f"{directory}/**/*.*")
    }
    guides = {f"svc/{path.relative_to(ROOT)}" for path in (ROOT / "docs").rglob("*.*")}

    with ZipFile(wheel) as built:
        assert expected | guides <= set(built.namelist())
    assert "svc/docs/quickstart.md" in guides
    assert "svc/http/sites/static/t.js" in expected
