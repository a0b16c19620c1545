"""Embeds as browsers show them, on pages of two other origins: one of the bound site, and one of another."""

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from playwright.sync_api import Browser, Dialog, Locator, Page, ViewportSize, expect

from svc.domain.embeds.html_fragment import to_html
from svc.domain.records.properties import Property
from tests.browser.places import Service, Website, complaints, website_elsewhere
from tests.domain.embeds.test_embed_fragment import everything, records
from tests.fragments import ATTRIBUTES, ELEMENTS, HOSTILE

ARTIFACTS: Final = Path(__file__).parents[1] / "artifacts"
FOREIGN: Final = "localhost"
"""Another name of this machine, and so another site than the bound one, which is 127.0.0.1."""


@pytest.fixture
def elsewhere() -> Iterator[Website]:
    """One more website, on a port of its own."""
    with website_elsewhere() as website:
        yield website


def page_with(service: Service, *placeholders: str, head: str = "") -> str:
    """A page on another website."""
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Elsewhere</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">{head}'
        f'<script src="{service.url}/e.js" defer></script>'
        f'<body style="margin:0">{"".join(placeholders)}'
    )


def placeholder(key: str, words: str = "Before") -> str:
    return f'<div data-svc-embed="{key}">{words}</div>'


def shown_in(page: Page, place: int = 0) -> Locator:
    """What a reader sees in a placeholder. Playwright looks through open shadow roots."""
    return page.locator("[data-svc-embed]").nth(place)


def fragments_asked(page: Page) -> list[str]:
    """A list to which the address of every embed that *page* asks for is added."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/api/e/" in request.url else None)
    return asked


def test_a_placeholder_is_filled(service: Service, website: Website, page: Page):
    """One script tag and one element: a page of another origin shows the table, whatever its own styles."""
    heard = complaints(page)
    website.pages["/"] = page_with(
        service,
        placeholder(service.facts["embedKey"]),
        head="<style>table, td, h2 { display: none; color: red !important }</style>",
    )

    page.goto(website.url(host=FOREIGN))

    expect(shown_in(page).get_by_role("heading", name="In the workshop now")).to_be_visible()
    table = shown_in(page).get_by_role("table", name="In the workshop now")
    expect(table.get_by_role("row")).to_have_count(9)
    expect(table.get_by_role("columnheader")).to_have_count(6)
    expect(table.get_by_role("cell", name="£320.00")).to_be_visible()
    expect(shown_in(page).get_by_role("link", name="Made with svc")).to_be_visible()
    assert "open" == page.evaluate("document.querySelector('[data-svc-embed]').shadowRoot.mode")
    assert "Before" == page.evaluate("document.querySelector('[data-svc-embed]').textContent")
    assert ["svcEmbed"] == page.evaluate("Object.keys(window).filter((name) => /svc/i.test(name))")
    assert [] == heard


def test_it_works_under_a_strict_policy(service: Service, website: Website, page: Page):
    """A page that allows no inline style and no inline script shows it as it is meant, without complaints."""
    heard = complaints(page)
    website.headers["Content-Security-Policy"] = (
        f"default-src 'none'; script-src {service.url}; connect-src {service.url}; base-uri 'none'"
    )
    website.pages["/"] = page_with(service, placeholder(service.facts["boundEmbedKey"])).replace(
        ' style="margin:0"', ""
    )

    page.goto(website.url())

    button = shown_in(page).get_by_role("link", name="See all lamps")
    expect(button).to_be_visible()
    expect(button).to_have_css("background-color", "rgb(11, 87, 164)")
    shown_in(page).get_by_label("E-mail").fill("ada@example.com")
    shown_in(page).get_by_role("button", name="Send").click()
    expect(shown_in(page).get_by_role("status")).to_have_text("Thank you, it has arrived.")
    assert [] == heard


def test_a_bound_embed_is_for_its_site(service: Service, website: Website, elsewhere: Website, page: Page):
    """A page of the bound site shows it; on another the placeholder stays as it is, and others are filled."""
    both = page_with(
        service, placeholder(service.facts["boundEmbedKey"]), placeholder(service.facts["embedKey"])
    )
    website.pages["/"] = elsewhere.pages["/"] = both

    page.goto(website.url())
    expect(shown_in(page).get_by_role("heading", name="Ready to go")).to_be_visible()

    page.goto(elsewhere.url(host=FOREIGN))
    expect(shown_in(page, 1).get_by_role("table")).to_be_visible()
    expect(shown_in(page, 0)).to_have_text("Before")
    assert page.evaluate("document.querySelector('[data-svc-embed]').shadowRoot") is None


def test_what_is_not_shown_leaves_the_placeholder(service: Service, website: Website, page: Page):
    """A paused key, an unknown one and an empty one change nothing; the console says where to read why."""
    warned: list[str] = []
    page.on("console", lambda message: warned.append(message.text) if message.type == "warning" else None)
    keys = (service.facts["pausedEmbedKey"], "svce_unknown", "")
    website.pages["/"] = page_with(
        service, *(placeholder(key) for key in keys), placeholder(service.facts["embedKey"])
    )

    page.goto(website.url(host=FOREIGN))

    expect(shown_in(page, 3).get_by_role("table")).to_be_visible()
    for place in range(3):
        expect(shown_in(page, place)).to_have_text("Before")
    assert [f"No embed {key}: {service.url}/docs/embeds#the-loader" for key in sorted(keys)] == sorted(warned)


def test_an_embed_is_fetched_once_a_page(service: Service, website: Website, page: Page):
    """Two placeholders of one embed are both filled by one request."""
    asked = fragments_asked(page)
    website.pages["/"] = page_with(service, *[placeholder(service.facts["embedKey"])] * 2)

    page.goto(website.url(host=FOREIGN))

    expect(shown_in(page, 0).get_by_role("table")).to_be_visible()
    expect(shown_in(page, 1).get_by_role("table")).to_be_visible()
    assert 1 == len(asked)


def test_later_placeholders_wait_for_a_scan(service: Service, website: Website, page: Page):
    """What a page adds later stays empty until it calls `svcEmbed.scan()`; that fetches nothing twice."""
    asked = fragments_asked(page)
    website.pages["/"] = page_with(service, placeholder(service.facts["embedKey"]))
    page.goto(website.url(host=FOREIGN))
    expect(shown_in(page, 0).get_by_role("table")).to_be_visible()

    page.evaluate("document.body.append(document.querySelector('[data-svc-embed]').cloneNode(true))")
    page.wait_for_timeout(100)
    expect(shown_in(page, 1)).to_have_text("Before")
    page.evaluate("svcEmbed.scan()")

    expect(shown_in(page, 1).get_by_role("table")).to_be_visible()
    assert 1 == len(asked)


def test_a_scan_keeps_to_what_it_is_given(service: Service, website: Website, page: Page):
    """Below an element or in a shadow root, or the placeholder itself; others stay as they are."""
    key = service.facts["embedKey"]
    website.pages["/"] = page_with(service)
    page.goto(website.url(host=FOREIGN))
    page.wait_for_function("window.svcEmbed")
    page.evaluate(
        """html => {
            document.body.innerHTML = `<main>${html}</main>${html}${html}<aside></aside>`
            document.querySelector('aside').attachShadow({ mode: 'open' }).innerHTML = html
        }""",
        placeholder(key),
    )
    filled = """() => [...document.querySelectorAll('[data-svc-embed]'),
        document.querySelector('aside').shadowRoot.firstChild].map((host) => !!host.shadowRoot)"""

    page.evaluate("svcEmbed.scan(document.querySelector('main'))")
    assert [True, False, False, False] == page.evaluate(filled)
    page.evaluate("svcEmbed.scan(document.querySelectorAll('[data-svc-embed]')[2])")
    assert [True, False, True, False] == page.evaluate(filled)
    page.evaluate("svcEmbed.scan(document.querySelector('aside').shadowRoot)")
    assert [True, False, True, True] == page.evaluate(filled)
    page.evaluate("svcEmbed.scan()")
    assert [True] * 4 == page.evaluate(filled)


@pytest.mark.parametrize(
    "tag",
    [
        '<script type="module" src="{url}/e.js"></script>',
        '<script type="module" src="{url}/e.js?v=1:2"></script>',
        '<script type="module" src="/own.js"></script>',
        '<script src="/dynamic.js"></script>',
    ],
)
def test_it_works_as_a_module(service: Service, website: Website, page: Page, tag: str):
    """By its tag, imported by a module or by `import()`; under a strict policy as well, forms included."""
    heard = complaints(page)
    website.headers["Content-Security-Policy"] = (
        f"default-src 'none'; script-src 'self' {service.url}; connect-src {service.url}; base-uri 'none'"
    )
    website.pages["/own.js"] = f"import '{service.url}/e.js'"
    website.pages["/dynamic.js"] = f"setTimeout(() => import('{service.url}/e.js'), 50)"
    website.pages["/"] = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Elsewhere</title>'
        f"{tag.format(url=service.url)}<body>{placeholder(service.facts['boundEmbedKey'])}"
    )

    page.goto(website.url())

    shown_in(page).get_by_label("E-mail").fill("ada@example.com")
    shown_in(page).get_by_role("button", name="Send").click()
    expect(shown_in(page).get_by_role("status")).to_have_text("Thank you, it has arrived.")
    assert ["svcEmbed"] == page.evaluate("Object.keys(window).filter((name) => /svc/i.test(name))")
    assert [] == heard


def test_a_form_is_sent_from_where_it_is(service: Service, website: Website, page: Page):
    """Without leaving the page: what is missing is said, and what was sent is stored and filed."""
    website.pages["/"] = page_with(service, placeholder(service.facts["boundEmbedKey"]))
    page.goto(website.url())
    form = shown_in(page)
    status = form.get_by_role("status")

    form.get_by_label("Name").fill("Ada Lovelace")
    form.get_by_role("button", name="Send").click()
    expect(status).to_have_text("Please leave an e-mail address or a phone number.")
    expect(form.get_by_label("Name")).to_have_value("Ada Lovelace")
    form.get_by_label("E-mail").fill("ada@example.com")
    form.get_by_label("City").fill("London")
    form.get_by_label("Message").fill("Over a desk?")
    form.get_by_role("button", name="Send").click()

    expect(status).to_have_text("Thank you, it has arrived.")
    expect(form.get_by_label("Name")).to_have_value("")
    assert website.url() == page.url
    [(_, fields, _)] = service.filed()
    assert {
        "name": "Ada Lovelace",
        "email": "ada@example.com",
        "town": "London",
        "message": "Over a desk?",
    }.items() <= fields.items()


def test_a_lost_form_keeps_what_was_typed(service: Service, website: Website, page: Page):
    """When the service cannot be reached the form says so, and can be sent again."""
    website.pages["/"] = page_with(service, placeholder(service.facts["boundEmbedKey"]))
    page.goto(website.url())
    form = shown_in(page)
    form.get_by_label("E-mail").fill("ada@example.com")
    page.route("**/api/f/s*", lambda route: route.abort())
    form.get_by_role("button", name="Send").click()

    expect(form.get_by_role("status")).to_have_text("It could not be sent. Please try again.")
    page.unroute_all()
    form.get_by_role("button", name="Send").click()

    expect(form.get_by_role("status")).to_have_text("Thank you, it has arrived.")


def test_it_works_without_scripts(service: Service, website: Website, browser: Browser):
    """A server that fetches the fragment puts it into its page: it is shown, and its form sends."""
    key = service.facts["boundEmbedKey"]
    fragment = httpx.get(f"{service.url}/api/e/{key}?format=html").text
    website.pages["/"] = f'<!doctype html><meta charset="utf-8"><title>Elsewhere</title>{fragment}'
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(website.url())

        expect(page.get_by_role("table").get_by_role("cell", name="£95.00")).to_be_visible()
        page.get_by_label("E-mail").fill("ada@example.com")
        page.get_by_label("Message").fill("Plain")
        page.screenshot(path=ARTIFACTS / "embed-without-scripts.png", full_page=True)
        page.get_by_role("button", name="Send").click()

        expect(page.locator("body")).to_have_text('{"ok":true}')
    [(_, fields, _)] = service.filed()
    assert ("ada@example.com", "Plain") == (fields["email"], fields["message"])


def test_the_demos_page_shows_its_price_list_elsewhere_too(service: Service, website: Website, page: Page):
    """The shop's page, served by another origin, is filled as it is at home."""
    html = httpx.get(f"{service.url}/demo/").text
    website.pages["/shop"] = re.sub(r'(src|href)="/', rf'\1="{service.url}/', html)
    page.goto(f"{service.url}/demo/")
    at_home = page.locator("#stock").get_by_role("table")
    expect(at_home).to_be_visible()
    rows = at_home.get_by_role("row").count()

    page.goto(website.url("/shop", host=FOREIGN))

    expect(page.locator("#stock").get_by_role("table").get_by_role("row")).to_have_count(rows)


SEEN: Final = """html => {
    const root = new DOMParser().parseFromString(html, 'text/html').body
    const all = [...root.querySelectorAll('*')]
    return {
        elements: [...new Set(all.map((one) => one.localName))],
        foreign: all.filter((one) => one.namespaceURI != 'http://www.w3.org/1999/xhtml').length,
        attributes: [...new Set(all.flatMap((one) => one.getAttributeNames()))],
        schemes: [...new Set(all.flatMap((one) => [one.href, one.src, one.action])
            .filter((one) => typeof one == 'string' && one).map((one) => new URL(one).protocol))],
        forms: all.filter((one) => one.localName == 'form').map((one) => one.getAttribute('action')),
        comments: document.createTreeWalker(root, NodeFilter.SHOW_COMMENT).nextNode() != null,
        sections: root.querySelectorAll(':scope > div:only-child > section').length,
    }
}"""
"""What the browser's own parser makes of a fragment."""


def test_what_is_hostile_is_inert_to_a_browser(service: Service, page: Page):
    """Whatever is tried in any place, Chromium's own parser sees the few elements and attributes alone."""
    page.goto(f"{service.url}/about/embeds")
    for text in HOSTILE:
        seen = page.evaluate(SEEN, to_html(everything(text), service.url))

        assert set(seen["elements"]) <= ELEMENTS, text
        assert set(seen["attributes"]) <= ATTRIBUTES, text
        assert set(seen["schemes"]) <= {"http:", "https:", "mailto:", "tel:"}, text
        assert (0, False, 4) == (seen["foreign"], seen["comments"], seen["sections"]), text
        assert [f"{service.url}/api/f/s?f=svcf_1"] == seen["forms"]


def test_what_is_hostile_does_nothing_on_a_page(service: Service, website: Website, page: Page):
    """A published record full of tricks is shown as text, by the loader and as plain HTML; nothing runs."""
    text = " ".join(one for one in HOSTILE if len(one) < 1_000 and "\x00" not in one)
    rename(service, text)
    heard = complaints(page)
    ran: list[str] = []

    def note(dialog: Dialog) -> None:
        ran.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", note)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    fragment = httpx.get(f"{service.url}/api/e/{service.facts['embedKey']}?format=html").text
    website.pages["/"] = page_with(service, placeholder(service.facts["embedKey"]), fragment)

    page.goto(website.url(host=FOREIGN), wait_until="networkidle")

    assert "<script>alert(1)</script>" in shown_in(page).get_by_role("cell").first.inner_text()
    assert "<script>alert(1)</script>" in page.locator("body > div").nth(1).inner_text()
    assert [] == ran
    assert [] == heard
    assert not any("evil" in one for one in asked)


def rename(service: Service, text: str) -> None:
    """Rename the cheapest lamp to *text*, as a member with `records.write` can, before it was shown."""
    with closing(sqlite3.connect(service.database)) as database, database:
        rows = database.execute(
            "SELECT id, properties FROM records WHERE properties LIKE '%Sailcloth shade%'"
        )
        [(record_id, stored)] = rows.fetchall()
        renamed: dict[str, Any] = json.loads(stored) | {"name": text}
        database.execute("UPDATE records SET properties = ? WHERE id = ?", (json.dumps(renamed), record_id))


def test_a_page_from_long_ago_shows_a_table_that_can_be_read(service: Service, website: Website, page: Page):
    """A page without a doctype keeps its colour and its font from tables: those of the embed hold."""
    website.pages["/"] = page_with(service, placeholder(service.facts["embedKey"])).replace(
        "<!doctype html>", "<style>body { background: #000; color: #fff; font: 20px/2 serif }</style>"
    )

    page.goto(website.url(host=FOREIGN))

    assert "BackCompat" == page.evaluate("document.compatMode")
    cell = shown_in(page).get_by_role("cell", name="£320.00")
    expect(cell).to_have_css("color", "rgb(28, 36, 48)")
    expect(cell).to_have_css("font-size", "20px")
    expect(cell).to_have_css("line-height", "30px")


LABELS: Final = """() => [...document.querySelectorAll('td')].map((cell) => {
    const [label, text] = [cell.firstChild, document.createRange()]
    text.selectNodeContents(cell.lastChild)
    return {
        whole: label.scrollWidth <= label.clientWidth && label.scrollHeight <= label.clientHeight,
        gap: text.getBoundingClientRect().left - label.getBoundingClientRect().right,
        height: cell.clientHeight,
    }
})"""
"""Of each cell, whether its label is there as a whole, how far its text is from that, and its height."""


def test_labels_have_room_where_each_row_is_a_list(website: Website, page: Page):
    """A long one takes another line and never touches the value; in a table it takes no room at all."""
    label = "Made to order in the workshop, by hand"
    properties = [Property(slug=slug, label=label, type="text") for slug in ("name", "made")]
    table = records([{"name": "Yes", "made": "No"}], properties=properties)
    website.pages["/"] = f"<!doctype html>{to_html([table], website.url())}"

    page.set_viewport_size({"width": 320, "height": 600})
    page.goto(website.url())
    for cell in page.evaluate(LABELS):
        assert (True, 12) == (cell["whole"], round(cell["gap"]))

    page.set_viewport_size({"width": 1_000, "height": 600})
    for cell in page.evaluate(LABELS):
        assert (0, 24) == (cell["gap"], cell["height"])


def test_embeds_look_as_they_should(service: Service, website: Website, browser: Browser):
    """They fit a desk, a narrow column and a phone; pictures are kept in tests/artifacts, to be looked at."""
    website.pages["/"] = page_with(
        service,
        '<main style="max-width:60rem;margin:auto;padding:1rem;background:#f3efe6;font-family:sans-serif">',
        placeholder(service.facts["embedKey"]),
        '<div style="height:2rem"></div>',
        placeholder(service.facts["boundEmbedKey"]),
        "</main>",
    )
    website.pages["/column"] = website.pages["/"].replace("max-width:60rem", "width:20rem")
    for name, path, screen in (
        ("desktop", "/", ViewportSize(width=1280, height=900)),
        ("column", "/column", ViewportSize(width=1280, height=900)),
        ("phone", "/", ViewportSize(width=375, height=812)),
    ):
        with browser.new_context(viewport=screen) as context:
            page = context.new_page()
            page.goto(website.url(path))
            expect(shown_in(page, 1).get_by_role("button", name="Send")).to_be_visible()
            page.screenshot(path=ARTIFACTS / f"embed-{name}.png", full_page=True)

            assert screen["width"] == page.evaluate("document.documentElement.scrollWidth")
