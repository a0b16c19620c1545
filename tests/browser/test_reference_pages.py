"""The reference as a browser shows it. Pictures are kept in tests/artifacts, to be looked at."""

from pathlib import Path
from typing import Final, Literal, get_args

from playwright.sync_api import Browser, ViewportSize, expect

from tests.browser.places import Service, complaints

Scheme = Literal["light", "dark"]

ARTIFACTS: Final = Path(__file__).parents[1] / "artifacts"
SCHEMES: Final[tuple[Scheme, ...]] = get_args(Scheme)
PAGES: Final = {
    "tools": "/docs/api",
    "guides": "/docs",
    "guide": "/docs/forms",
    "walk": "/docs/walk-form",
    "found": "/docs/search?q=record",
    "contract": "/docs/contract",
    "person-tool": "/docs/api/apikey.mint",
    "tool": "/docs/api/record.create",
    "problems": "/problems",
    "problem": "/problems/validation_failed",
    "deprecations": "/docs/deprecations",
}
SCREENS: Final = {"phone": ViewportSize(width=390, height=844), "desk": ViewportSize(width=1280, height=900)}


def test_pages_fit_a_phone_and_a_desk(service: Service, browser: Browser):
    """With scripts off nothing is cut, missing or scrolls sideways, and no other host is requested."""
    asked = list[str]()
    for screen, viewport in SCREENS.items():
        with browser.new_context(viewport=viewport, java_script_enabled=False) as context:
            page = context.new_page()
            heard = complaints(page)
            page.on("request", lambda request: asked.append(request.url))
            for name, path in PAGES.items():
                page.goto(f"{service.url}{path}")
                for scheme in SCHEMES:
                    page.emulate_media(color_scheme=scheme)
                    page.screenshot(path=ARTIFACTS / f"docs-{name}-{screen}-{scheme}.png")

                box = page.locator("body").bounding_box()
                assert box is not None
                assert viewport["width"] == box["width"]
                assert viewport["width"] == page.evaluate("document.documentElement.scrollWidth"), name
            assert [] == heard
    assert [] == [url for url in asked if not url.startswith(service.url)]


def test_a_tool_is_found_with_the_keyboard_alone(service: Service, browser: Browser):
    """From the address to a tool's page: skip what is above, type, and follow what is found."""
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{service.url}/docs/api")
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()

        page.get_by_label("Find a tool").focus()
        page.keyboard.type("create record")
        page.keyboard.press("Enter")
        page.get_by_role("link", name="record.create").first.focus()
        page.keyboard.press("Enter")

        expect(page.get_by_role("heading", level=1)).to_have_text("record.create")


def test_a_slash_goes_to_the_search(service: Service, browser: Browser):
    """From anywhere on a page; in a field it is a letter like others."""
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{service.url}/docs/forms")
        page.keyboard.press("/")
        field = page.get_by_label("Search guides, tools and problems")
        expect(field).to_be_focused()
        page.keyboard.type("a/b")

        expect(field).to_have_value("a/b")


def test_one_language_is_shown_at_a_time_and_can_be_copied(service: Service, browser: Browser):
    """The choice holds on the next page; the arrow keys move it; without scripts all are shown."""
    with browser.new_context(permissions=["clipboard-read", "clipboard-write"]) as context:
        page = context.new_page()
        heard = complaints(page)
        page.goto(f"{service.url}/docs/api/record.get")
        expect(page.get_by_role("tab", name="curl")).to_have_attribute("aria-selected", "true")
        expect(page.locator("figure[data-language=python]")).to_be_hidden()

        page.get_by_role("tab", name="curl").press("ArrowRight")

        expect(page.get_by_role("tab", name="Python")).to_be_focused()
        page.goto(f"{service.url}/docs/quickstart")
        shown = page.locator(".tabs").first.locator("figure:visible")
        expect(shown).to_have_attribute("data-language", "python")
        shown.get_by_role("button", name="Copy").click()
        expect(shown.get_by_role("button", name="Copied")).to_be_visible()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert f'"{service.url}/api/v1/tools/record.list"' in copied
        assert [] == heard
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{service.url}/docs/quickstart")
        assert ["sh", "python", "ts"] == [
            one.get_attribute("data-language") for one in page.locator(".tabs").first.locator("figure").all()
        ]
        expect(page.locator(".tabs").first.locator("figure:visible")).to_have_count(3)


def test_a_browser_that_is_lost_finds_back(service: Service, browser: Browser):
    """From an address that is nothing to the front page, and from there to the shop."""
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{service.url}/docs/nothing")
        expect(page.get_by_role("heading", level=1)).to_have_text("There is nothing here")
        expect(page.get_by_role("link", name="Guides", exact=True)).to_be_visible()

        page.get_by_role("link", name="The front page").click()
        page.get_by_role("link", name="The shop’s page").click()

        expect(page).to_have_title("Harbour Lamps")


def test_texts_can_be_read(service: Service, browser: Browser):
    """Every text has the contrast that WCAG 2.2 asks for, 4.5 to 1, by day and by night."""
    with browser.new_context() as context:
        page = context.new_page()
        for path in PAGES.values():
            page.goto(f"{service.url}{path}")
            for scheme in SCHEMES:
                page.emulate_media(color_scheme=scheme)

                assert [] == page.evaluate(FAINT), (scheme, path)


FAINT: Final = """() => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const known = new Map();
  const rgb = (color) => {
    if (!known.has(color)) known.set(color, drawn(color));
    return known.get(color);
  };
  const drawn = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => {
    const linear = (c) => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4;
    const [x, y, z] = [r, g, b].map((c) => linear(c / 255));
    return .2126 * x + .7152 * y + .0722 * z;
  };
  const behind = (node) => {
    for (let one = node; one; one = one.parentElement) {
      const color = rgb(getComputedStyle(one).backgroundColor);
      if (color[3] === 255) return color;
    }
    return [255, 255, 255, 255];
  };
  const faint = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !node.checkVisibility()) continue;
    const [a, b] = [light(rgb(getComputedStyle(node).color)), light(behind(node))].sort((x, y) => y - x);
    const contrast = (a + .05) / (b + .05);
    if (contrast < 4.5) faint.push(`${contrast.toFixed(1)}: ${walker.currentNode.data.trim()}`);
  }
  return faint;
}"""
