"""Three faults in a running service are found and named on the operator's page alone."""

import re
from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.places import WAIT_SECONDS
from tests.planted import LETTERS, TOKEN, Planted, planted

FIRST: Final = 3
"""How far down the list an operator looks first."""


@pytest.fixture(scope="module")
def service() -> Iterator[Planted]:
    with planted() as service:
        yield service


@pytest.fixture
def page(browser: Browser, service: Planted) -> Iterator[Page]:
    context = browser.new_context(
        base_url=service.url, viewport={"width": 1280, "height": 900}, reduced_motion="reduce"
    )
    context.set_default_timeout(WAIT_SECONDS * 1_000)
    page = context.new_page()
    page.goto("/debug")
    page.get_by_label("Operator’s token").fill(TOKEN)
    page.keyboard.press("Enter")
    expect(page.locator("header [role=status]")).to_have_text("Live")
    yield page
    context.close()


def _first_rows(page: Page) -> Locator:
    """What is on top of the list of actors, as it comes: in trouble first."""
    rows = page.get_by_role("table", name="Actors", exact=True).locator("tbody tr")
    expect(rows.nth(FIRST - 1)).to_be_visible()
    return rows.locator(f":scope:nth-child(-n + {FIRST})")


def _panel(page: Page, row: Locator) -> Locator:
    """The actor of *row*, opened."""
    row.get_by_role("button").first.click()
    return page.get_by_role("complementary")


def test_what_is_wrong_is_said_first(page: Page) -> None:
    """In a sentence for each, which opens the actor; not in an order that need not list them."""
    first = page.get_by_role("region", name="Look here first")
    stuck = first.get_by_role("listitem").filter(has_text="Archive cellar")
    expect(stuck).to_contain_text(re.compile(r"its turn file_papers has run for [\d.]+ (s|min)\."))
    expect(first.get_by_role("listitem").filter(has_text="Postbox front-door")).to_contain_text(
        re.compile(r"its turn sort_letter has run for .+; \d+ messages wait, the oldest for ")
    )
    stuck.get_by_role("button").click()
    expect(page.get_by_role("complementary")).to_have_attribute("aria-label", "Archive cellar")
    stands = page.get_by_role("complementary").locator("section", has_text="Where it stands")
    expect(stands.locator(".debug-here")).to_contain_text("in wait_for_the_key")
    page.get_by_label("Order").select_option("mailbox")

    expect(first).to_have_count(0)


def test_a_turn_that_is_stuck(page: Page) -> None:
    """It is among the first, with its turn and age; the panel has the function that it waits in."""
    row = _first_rows(page).filter(has_text="file_papers")
    expect(row).to_contain_text("Archive")
    panel = _panel(page, row)

    expect(panel).to_contain_text(re.compile(r"running: file_papers, [\d.]+ (ms|s|min)"))
    expect(panel.locator("section", has_text="Where it stands")).to_contain_text("in wait_for_the_key")


def test_a_mailbox_that_fills(page: Page) -> None:
    """The kind has what waits and since when; the panel names the messages."""
    kind = page.get_by_role("row", name=re.compile(r"^Postbox 1 \d+ "))
    expect(kind).to_be_visible()
    waiting = int(kind.get_by_role("cell").nth(1).inner_text())
    assert 0 < waiting < LETTERS
    page.get_by_label("Order").select_option("mailbox")
    panel = _panel(page, _first_rows(page).first)

    expect(panel).to_have_attribute("aria-label", "Postbox front-door")
    expect(panel.locator("section", has_text="Waiting messages")).to_contain_text(
        re.compile(r"sort_letter: \d+")
    )


def test_a_push_that_hangs(page: Page, service: Planted) -> None:
    """What waits says that a push is under way; its actor's task stands in the request."""
    waits = page.get_by_role("region", name="What waits").get_by_role("row", name=re.compile("^Replies 1 "))
    expect(waits).to_contain_text("a push of it is under way; it is put back in ")
    panel = _panel(page, waits)

    expect(panel).to_have_attribute("aria-label", f"Outbox {service.connection_id}")
    expect(panel.locator("section", has_text="Tasks: _push")).to_contain_text("in SignedPosts")
