"""The reference: pages of all that there is, which need nothing but this service."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from html.parser import HTMLParser
from urllib.parse import urldefrag, urljoin

import httpx
import pytest

from svc.http.app import public_app
from svc.http.docs.doors import doc_pages
from svc.http.docs.examples import PLACE
from svc.http.docs.front import PublicFront
from svc.http.docs.html_text import inline, prose
from svc.http.problems.causes import CAUSES
from svc.http.problems.problems import CODES, KINDS
from svc.http.quart_app import QuartApp
from svc.http.tools.problem_codes import NEVER_A_KEYS
from svc.tools.catalogue import REGISTRY
from svc.tools.registry import Registry
from svc.tools.webhooks.payloads import EXAMPLES
from tests.http.asking import client_of
from tests.http.tools.sample_tools import SAMPLES
from tests.town import town

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


class Parts(HTMLParser):
    """What a page refers to, and what on it can be referred to."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.addresses: set[str] = set()
        self.ids: list[str] = []
        self.text = ""
        self._in_link = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        named = {told[name] or "" for name in ("href", "src", "action") if name in told}
        # A guide may name other people's pages; nothing of theirs is ever fetched by one of ours.
        self.addresses |= {one for one in named if tag != "a" or not one.startswith(("https://", PLACE))}
        self.ids += [told["id"] or ""] if "id" in told else []
        assert tag != "style"
        assert tag != "script" or told["src"] == "/docs/page.js"
        assert not (tag == "a" and self._in_link), "a link in a link"
        self._in_link |= tag == "a"
        assert not any(name == "style" or name.startswith("on") for name in told), f"inline in {tag}"

    def handle_endtag(self, tag: str) -> None:
        self._in_link &= tag != "a"

    def handle_data(self, data: str) -> None:
        self.text += f" {data}"


@asynccontextmanager
async def visitor_of(registry: Registry) -> AsyncIterator[httpx.AsyncClient]:
    """A visitor of the pages of *registry* alone."""
    app = QuartApp("pages", static_folder=None)
    doors, pages = doc_pages(registry)
    app.register_blueprint(doors)
    front = PublicFront(pages, len(registry))
    app.add_url_rule("/docs/welcome", "welcome", front.show)
    app.add_url_rule("/app/", "screens", front.show)  # which the front page leads to
    async with client_of(app) as visitor:
        visitor.headers["accept"] = BROWSER
        yield visitor


async def everything(visitor: httpx.AsyncClient) -> dict[str, Parts | None]:
    """Every page that the index leads to, by its path; None if it is no HTML.

    Fails for an address that leads nowhere.
    """
    found: dict[str, Parts | None] = {}
    wanted: set[tuple[str, str]] = {("/docs/api", "")}
    anchors: set[tuple[str, str]] = set()
    while wanted:
        path, anchor = wanted.pop()
        anchors.add((path, anchor))
        if path in found:
            continue
        answer = await visitor.get(path)
        assert 200 == answer.status_code, path
        page = found[path] = Parts(answer.text) if "html" in answer.headers["content-type"] else None
        for address in page.addresses if page else ():
            target, anchor = urldefrag(urljoin(path, address))
            assert target.startswith("/"), address
            wanted.add((target, anchor))
    ids = {path: set(page.ids) if page else set() for path, page in found.items()}
    assert [] == [(path, anchor) for path, anchor in anchors if anchor and anchor not in ids[path]]
    return found


@pytest.mark.parametrize("registry", [REGISTRY, SAMPLES], ids=["catalogue", "samples"])
async def test_every_address_on_the_pages_leads_somewhere(registry, autojump_clock):
    """From the index every tool and every problem is reached, and nothing outside of the service is named."""
    async with visitor_of(registry) as visitor:
        found = await everything(visitor)

    assert {f"/docs/api/{name}" for name in registry} <= found.keys()
    assert {f"/problems/{code}" for code in CODES} <= found.keys()
    assert "/docs/deprecations" in found
    for path, page in found.items():
        ids = page.ids if page else []
        assert len(ids) == len(set(ids)), path


async def test_pages_allow_themselves_nothing_else(autojump_clock):
    """One script of our own, no inline style, no other origin, no frame."""
    paths = (
        "/docs/api",
        "/docs/search?q=x",
        "/problems/conflict",
        "/docs/forms",
        "/docs/welcome",
        "/nowhere",
    )
    async with town() as here, here.live_system() as system, client_of(public_app(system)) as visitor:
        pages = [await visitor.get(path, headers={"accept": BROWSER}) for path in paths]

    for page in pages:
        policy = page.headers["content-security-policy"]
        assert {"'none'", "'self'"} == set(re.findall(r"'[^']*'|https?:\S*|\*", policy))
        assert "script-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy


async def test_texts_of_tools_are_texts(autojump_clock):
    """What looks like markup in a docstring or a name of a choice is shown as it is."""
    async with visitor_of(SAMPLES) as visitor:
        page = (await visitor.get("/docs/api/workflow.list")).text

    assert "List workflows &lt;b&gt;without&lt;/b&gt; &amp; with conditions." in page
    assert "<code>&lt;script&gt;</code>" in page
    assert "<code>&lt;&amp;&gt;</code>" in page
    assert '<a href="/docs/api/workflow.delete"><code>workflow.delete</code></a>' in page


async def test_a_tools_page_has_all_that_a_caller_needs(autojump_clock):
    """Rules of fields, who may run it, a call that a shell takes, its answer, and each refusal."""
    async with visitor_of(SAMPLES) as visitor:
        listed, old, deleted, minted = [
            Parts((await visitor.get(f"/docs/api/{name}")).text)
            for name in ("workflow.list", "automation.list", "workflow.delete", "serverkey.mint")
        ]

    text = " ".join(listed.text.split())
    assert "conditions list of Condition All must hold. at most 20 items" in text
    assert "limit whole number" in text
    assert "1 to 200" in text
    assert "property text required Its slug. at most 50 characters" in text
    assert "ranAt time or null" in text
    assert "it'\\''s" in text
    assert "POST /api/v1/tools/ workflow.list" in text
    assert "Authorization: Bearer $SVC_KEY" in text
    assert "httpx.post(" in text
    assert "await fetch(" in text
    assert "This name works through 17 March 2027. Call workflow.list" in " ".join(old.text.split())
    assert "/problems/gone" in old.addresses
    assert "/problems/approval_required" in deleted.addresses
    assert "/problems/not_found" in deleted.addresses
    assert "Idempotency-Key: try-workflow-delete" in deleted.text
    assert "-b cookies.txt" in minted.text
    assert "Idempotency-Key" not in " ".join(minted.text.split()).replace("takes no Idempotency-Key", "")


async def test_old_names_are_listed(autojump_clock):
    """With what to call instead; where there are none the policy stands alone."""
    async with visitor_of(SAMPLES) as visitor:
        some = Parts((await visitor.get("/docs/deprecations")).text)
    async with visitor_of(Registry(one for one in SAMPLES.values() if not one.deprecated)) as visitor:
        none = Parts((await visitor.get("/docs/deprecations")).text)

    assert {"/docs/api/automation.list", "/docs/api/workflow.list"} <= some.addresses
    assert "There are none" in none.text
    assert "six months" in some.text
    assert "six months" in none.text


async def test_the_reference_is_searched_with_everything_else(autojump_clock):
    """`?q=` leads to the one search."""
    async with visitor_of(SAMPLES) as visitor:
        answer = await visitor.get("/docs/api?q=change+%26+workflow")

    assert (302, "/docs/search?q=change+%26+workflow") == (answer.status_code, answer.headers["location"])


async def test_codes_that_only_keys_get_name_the_tools(autojump_clock):
    """Every tool that wants a person's approval, and every one that is for people alone, or partly."""
    async with visitor_of(REGISTRY) as visitor:
        pages = {
            runs: Parts((await visitor.get(f"/problems/{code}")).text).addresses
            for runs, code in NEVER_A_KEYS.items()
        }

    for runs, addresses in pages.items():
        tools = {f"/docs/api/{one.name}" for one in REGISTRY.values() if one.runs == runs}
        assert tools
        if runs == "person":
            tools |= {f"/docs/api/{one.name}" for one in REGISTRY.values() if one.persons_give}
        assert tools == {one for one in addresses if one.startswith("/docs/api/")}


async def test_the_contract_is_a_page_too(autojump_clock):
    """Each operation with the statuses that it can answer, and the document to download."""
    async with visitor_of(REGISTRY) as visitor:
        page = Parts((await visitor.get("/docs/contract")).text)
        moved = await visitor.get("/docs/api/openapi")

    assert {"/api/v1/openapi.json", *(f"/docs/api/{name}" for name in REGISTRY)} <= page.addresses
    assert f"{len(REGISTRY)} operations" in page.text
    assert all(f"{kind} {type(one).__doc__}" in " ".join(page.text.split()) for kind, one in EXAMPLES.items())
    assert (301, "/docs/contract") == (moved.status_code, moved.headers["location"])


async def test_other_ways_to_write_a_name_lead_to_the_page(autojump_clock):
    """Underscores and nouns are redirected, and what is nothing is not found."""
    async with visitor_of(SAMPLES) as visitor:
        answers = [
            await visitor.get(path)
            for path in ("/docs/api/workflow_list", "/docs/api/workflow", "/docs/api/x")
        ]
        unknown = await visitor.get("/problems/x")

    assert [(301, "/docs/api/workflow.list"), (302, "/docs/api#workflow"), (404, None)] == [
        (one.status_code, one.headers.get("location")) for one in answers
    ]
    assert 404 == unknown.status_code


async def test_every_code_is_explained(autojump_clock):
    """What it means, when it happens, what to do, and how it looks."""
    async with visitor_of(REGISTRY) as visitor:
        pages = {code: (await visitor.get(f"/problems/{code}")).text for code in CODES}
        index = (await visitor.get("/problems")).text

    assert list(CODES) == list(KINDS)
    assert set(CODES) == CAUSES.keys()
    for code, page in pages.items():
        assert str(inline(KINDS[code].title)) in page
        assert f"status {KINDS[code].status}" in page
        assert f"/problems/{code}" in index
        assert f"&#34;/problems/{code}&#34;" in page or f"&quot;/problems/{code}&quot;" in page


def test_codes_stand_in_the_order_of_their_statuses():
    """So that pages and contract can group them."""
    statuses = [KINDS[code].status for code in CODES]

    assert sorted(statuses) == statuses


def test_prose_has_paragraphs_lists_and_code():
    """Line breaks are of the source alone."""
    html = prose("One `a<b`\nline.\n\nThen:\n- first\n  goes on\n- `second`", {"second"})

    assert (
        "<p>One <code>a&lt;b</code> line.</p>\n<p>Then:</p><ul><li>first goes on</li>"
        '<li><a href="/docs/api/second"><code>second</code></a></li></ul>'
    ) == html
