"""Home: what comes first, what waits, and the first steps of a new organization."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, StorageState, expect

from tests.browser.places import WAIT_SECONDS, Service
from tests.browser.screens.conftest import DESK, Watch
from tests.browser.screens.test_every_screen import faults
from tests.forked import Forked


@contextmanager
def _new_service(directory: Path) -> Iterator[str]:
    """A service without an organization; the link of its first owner."""
    binds = ("--bind", "127.0.0.1:0", "--operator-bind", "127.0.0.1:0")
    with (directory / "log").open("w") as stderr:
        process = Forked("run", "--data", str(directory / "data"), *binds, stderr=stderr)
    try:
        found = None
        while found is None:
            found = re.search(r"http\S+/app/welcome#\S+", process.stdout.readline())
        yield found[0]
    finally:
        process.terminate()
        process.wait(WAIT_SECONDS)


@pytest.fixture
def founder(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    """The page of somebody who has just made their organization."""
    with _new_service(tmp_path) as link:
        watch = Watch(link.partition("/app/")[0])
        context = browser.new_context(viewport=DESK, reduced_motion="reduce")
        context.set_default_timeout(WAIT_SECONDS * 1_000)
        context.on("page", watch.on)
        page = context.new_page()
        page.goto(link)
        page.get_by_label("Organization").fill("Harbour Lamps")
        page.get_by_label("Your name").fill("Ida Holm")
        page.get_by_label("E-mail").fill("ida@harbour-lamps.example")
        page.get_by_label("New password").fill("ten lamps at the harbour")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="First steps")).to_be_visible()
        yield page
        context.close()

        assert [] == watch.complaints


def test_home_comes_first_and_leads_to_what_waits(desk: Page, service: Service) -> None:
    """By a card that says how many; `G H` comes back."""
    desk.goto("/app/")
    expect(
        desk.get_by_role("heading", name=re.compile("^Good (morning|afternoon|evening), Maren$"))
    ).to_be_visible()
    expect(desk.get_by_role("link", name="Home", exact=True)).to_have_attribute("aria-current", "page")
    [(held,)] = service.rows("SELECT count(*) FROM submissions WHERE state = 'held'")
    card = desk.get_by_role("link", name=re.compile("to review"))
    expect(card).to_contain_text(f"{held}")
    card.click()
    expect(desk).to_have_url(f"{service.url}/app/submissions?state=Held")
    expect(desk.get_by_role("row")).to_have_count(held + 1)
    desk.keyboard.press("g")
    desk.keyboard.press("h")
    expect(desk).to_have_url(f"{service.url}/app/")
    for kind in ("Submissions", "New contacts", "New deals"):
        expect(desk.get_by_role("img", name=re.compile(f"^{kind}: "))).to_be_visible()


def test_what_was_done_elsewhere_is_told_at_once(desk: Page) -> None:
    """By another tab of the same person: who is called You there."""
    desk.goto("/app/")
    expect(desk.get_by_role("heading", name="Just done")).to_be_visible()
    other = desk.context.new_page()
    other.goto("/app/forms?new=1")
    other.get_by_label("Name").fill("Boat show")
    other.keyboard.press("Enter")
    other.wait_for_url("**/app/forms/frm_*")

    told = desk.get_by_role("link", name=re.compile("^You created the form Boat show"))
    expect(told).to_be_visible()
    assert told.get_attribute("href") == other.evaluate("location.pathname")
    other.close()


def test_the_first_submission_is_waited_for(founder: Page) -> None:
    """From nothing to the first submission, each step ticked as it is done, without a reload."""
    expect(founder.get_by_text("Nothing waits for you")).to_be_visible()
    expect(founder.get_by_text("0 of 5 done")).to_be_visible()
    assert [] == faults(founder)
    founder.get_by_role("link", name="Create form").click()
    founder.get_by_label("Name").fill("Contact us")
    founder.keyboard.press("Enter")
    expect(founder.get_by_role("heading", name="Contact us")).to_be_visible()
    founder.keyboard.press("g")
    founder.keyboard.press("h")
    expect(founder.get_by_text("1 of 5 done")).to_be_visible()
    expect(founder.get_by_text("Waiting for the first submission")).to_be_visible()
    founder.get_by_role("button", name="Send a test submission").click()
    expect(founder.get_by_text("The first submission was received.")).to_be_visible()
    expect(founder.get_by_text("2 of 5 done")).to_be_visible()
    founder.get_by_role("link", name="Show it").click()
    expect(founder.get_by_role("row", name=re.compile("Ida Holm"))).to_be_visible()


def test_first_steps_are_hidden_and_brought_back(founder: Page) -> None:
    """In this browser, for good; what was hidden by mistake comes back."""
    steps = founder.get_by_role("heading", name="First steps")
    founder.get_by_role("button", name="Hide first steps").click()
    expect(steps).to_have_count(0)
    founder.get_by_role("button", name="Undo").click()
    expect(steps).to_be_visible()
    founder.get_by_role("button", name="Hide first steps").click()
    founder.reload()
    expect(founder.get_by_role("heading", name="Waiting for you")).to_be_visible()
    expect(steps).to_have_count(0)


@pytest.mark.parametrize(
    ("at", "part"),
    [
        ("2026-11-23T04:59:00Z", "evening"),
        ("2026-11-23T05:00:00Z", "morning"),
        ("2026-11-23T12:00:00Z", "afternoon"),
        ("2026-07-01T17:00:00Z", "evening"),
    ],
)
def test_the_greeting_goes_by_the_organizations_clock(
    browser: Browser, service: Service, owner: StorageState, at: str, part: str
) -> None:
    """That of London, in summer time as well, wherever the browser is."""
    context = browser.new_context(
        base_url=service.url, storage_state=owner, timezone_id="America/Los_Angeles", viewport=DESK
    )
    page = context.new_page()
    page.clock.set_fixed_time(at)
    page.goto("/app/")
    expect(page.get_by_role("heading", name=f"Good {part}, Maren")).to_be_visible()
    context.close()
