"""Parts of screens on a page of their own, under the policy of the shell."""

import os
import subprocess
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from svc.http.screens.assets import STATIC_PATH, built
from svc.http.screens.shell import POLICY
from tests.browser.places import Service

_SCREENS: Final = Path(__file__).parents[3] / "screens"
_NODE: Final = Path(__file__).parents[3] / ".venv/bin/node"
_PAGE: Final = f"""<!doctype html><html lang="en"><head><title>Parts</title>
<link rel="stylesheet" href="{STATIC_PATH}{built().manifest.style}">
<script type="module" src="/app/parts.js"></script></head><body><div id="app"></div></body></html>"""


@pytest.fixture(scope="module")
def bundle() -> str:
    """The parts and their gallery, bundled."""
    if not (_SCREENS / "node_modules").is_dir() and os.environ.get("CI") != "true":
        pytest.skip("`make screens` installs what bundles them")
    command = [str(_NODE), "build/gallery.mjs"]
    return subprocess.run(command, cwd=_SCREENS, capture_output=True, check=True, text=True).stdout


@pytest.fixture
def gallery(stranger: Page, bundle: str, service: Service) -> Page:
    headers = {"Content-Security-Policy": POLICY, "Content-Type": "text/html"}
    stranger.route("**/app/parts", lambda route: route.fulfill(body=_PAGE, headers=headers))
    stranger.route(
        "**/app/parts.js", lambda route: route.fulfill(body=bundle, content_type="text/javascript")
    )
    stranger.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=service.url)
    stranger.clock.install()
    stranger.goto("/app/parts")
    return stranger


def test_a_combobox_by_keys(gallery: Page) -> None:
    """Typing narrows, arrows go round, Enter takes, Esc keeps what was there; leaving does, too."""
    field = gallery.get_by_role("combobox", name="Lamp")
    field.focus()
    gallery.clock.run_for(200)
    expect(gallery.get_by_role("option")).to_have_count(4)
    gallery.keyboard.type("b")
    gallery.clock.run_for(200)
    expect(gallery.get_by_role("option")).to_have_text(["Bellevuelamp", "Briglamp", "Harbourlamp"])
    gallery.keyboard.press("ArrowUp")
    gallery.keyboard.press("ArrowUp")
    expect(gallery.get_by_role("option", selected=True)).to_contain_text("Brig")
    gallery.keyboard.press("Enter")
    expect(field).to_have_value("Brig")
    expect(gallery.get_by_role("status").first).to_have_text("brig")
    gallery.keyboard.type("zzz")
    gallery.clock.run_for(200)
    expect(gallery.get_by_text("Nothing found")).to_be_visible()
    gallery.keyboard.press("Escape")

    expect(field).to_have_value("Brig")
    expect(gallery.get_by_role("listbox")).to_have_count(0)


def test_a_toast_goes_after_ten_seconds_but_not_while_it_is_looked_at(gallery: Page) -> None:
    """Under the pointer it stays; `Undo` takes back what it says."""
    gallery.get_by_role("button", name="Archive").click()
    gallery.clock.run_for(9_000)
    gallery.get_by_text("Archived").hover()
    gallery.clock.run_for(60_000)
    expect(gallery.get_by_text("Archived")).to_be_visible()
    gallery.get_by_role("button", name="Undo").click()
    expect(gallery.get_by_text("undone")).to_be_visible()
    gallery.get_by_role("button", name="Archive").click()
    gallery.mouse.move(0, 0)
    gallery.clock.run_for(10_100)

    expect(gallery.get_by_text("Archived")).to_have_count(0)


def test_a_table_by_keys(gallery: Page) -> None:
    """`J K` move, `X` selects, the selection is acted on at once, and more rows come with scrolling."""
    rows = gallery.get_by_role("table", name="Rows").get_by_role("row")
    expect(rows).to_have_count(51)
    for key in ("j", "x", "j", "j", "k", "x"):
        gallery.keyboard.press(key)
    expect(gallery.get_by_role("row", selected=True)).to_contain_text(["Row 1", "Row 2"])
    gallery.get_by_role("button", name="Count").click()
    expect(gallery.get_by_text("2 counted")).to_be_visible()
    gallery.get_by_role("cell", name="Row 50", exact=True).scroll_into_view_if_needed()
    expect(rows).to_have_count(101)


def test_texts_are_copied_and_bars_are_a_table_too(gallery: Page) -> None:
    """What is copied is the text itself; each bar's number stands in a table."""
    gallery.get_by_role("button", name="Copy").click()
    expect(gallery.get_by_role("button", name="Copied")).to_be_visible()
    assert "<b>text</b>" == gallery.evaluate("navigator.clipboard.readText()")
    gallery.get_by_role("button", name="Show as a table").click()

    expect(gallery.get_by_role("row").nth(1)).to_have_text("Sep 181,200")
