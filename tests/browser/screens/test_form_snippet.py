"""The code that a form's screen hands out, pasted into pages of another origin."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.places import WAIT_SECONDS, Service, Website, website_elsewhere
from tests.browser.screens.conftest import Watch, type_into_opened


@pytest.fixture
def site() -> Iterator[Website]:
    with website_elsewhere() as site:
        yield site


@pytest.fixture
def visitor(browser: Browser) -> Iterator[BrowserContext]:
    """A browser that has never been here."""
    context = browser.new_context(locale="en-GB")
    context.set_default_timeout(WAIT_SECONDS * 1_000)
    yield context
    context.close()


def new_form(desk: Page, name: str) -> None:
    """A form with a mapped field and a honeypot."""
    desk.goto("/app/forms?new=1")
    desk.get_by_label("Name").fill(name)
    desk.keyboard.press("Enter")
    expect(desk.get_by_role("heading", name=name)).to_be_visible()
    desk.get_by_role("link", name="Settings").last.click()
    fields = {"job_title": "Job title", "action": "Website", "town": "City", "tel_home": "Phone"}
    fields["fifth"] = "City"
    for place, (field, label) in enumerate(fields.items()):
        desk.get_by_role("button", name="Add field").click()
        type_into_opened(desk, field)
        desk.get_by_label("Contact property").nth(place).select_option(label=label)
    desk.get_by_label("Honeypot").fill("website")
    desk.get_by_role("button", name="Save").click()
    expect(desk.get_by_text("Saved")).to_be_visible()
    desk.get_by_role("link", name="Put it on a site").click()


def test_a_form_of_the_snippet_loses_nothing(
    desk: Page, service: Service, site: Website, visitor: BrowserContext
) -> None:
    """Two on one page: sent once by two clicks; refused, paused and cut off, each keeps every word."""
    new_form(desk, "Boat fair")
    snippet = desk.get_by_label("In a page")
    expect(snippet).to_contain_text('name="fifth"')  # the form is read again after it was saved
    code = snippet.inner_text()
    site.pages["/"] = f"<!doctype html><html lang=en><body>{code}<hr>{code}</body></html>"
    page = visitor.new_page()
    page.goto(site.url())
    first, second = page.locator("form").first, page.locator("form").last
    before = len(service.submissions())

    first.get_by_label("Name").fill("Ada Snippet")
    first.get_by_label("E-mail").fill("ada.snippet@example.com")
    first.get_by_label("Job title").fill("Buyer")
    first.get_by_role("button", name="Send").dblclick()
    expect(first.get_by_role("status")).to_have_text("Thank you. Your message has arrived.")
    expect(first.get_by_label("Name")).to_have_value("")
    [(_, fields, _)] = service.submissions()[before:]
    assert {"name": "Ada Snippet", "email": "ada.snippet@example.com", "job_title": "Buyer"} == fields

    second.get_by_label("E-mail").fill("bo@example.com")
    second.get_by_label("Message").fill("A long enquiry")
    visitor.set_offline(True)
    second.get_by_role("button", name="Send").click()
    expect(second.get_by_role("status")).to_contain_text("could not be sent just now")
    visitor.set_offline(False)
    desk.get_by_role("button", name="Pause").click()
    expect(desk.get_by_role("button", name="Resume")).to_be_visible()
    second.get_by_role("button", name="Send").click()
    expect(second.get_by_role("status")).to_have_text("This form is closed at the moment.")
    expect(second.get_by_label("Message")).to_have_value("A long enquiry")


def test_the_snippet_speaks_the_language_of_the_page(
    desk: Page, site: Website, visitor: BrowserContext
) -> None:
    """A fault is said at its field; the words are those that were chosen on the screen."""
    new_form(desk, "Bootsmesse")
    desk.get_by_label("Language of the page").select_option(label="Deutsch")
    site.pages["/"] = (
        f"<!doctype html><html lang=de><body>{desk.get_by_label('In a page').inner_text()}</body></html>"
    )
    page = visitor.new_page()
    page.goto(site.url())
    page.get_by_label("E-Mail").fill("kein@punkt")
    page.get_by_role("button", name="Senden").click()
    expect(page.get_by_role("status")).to_contain_text("E-Mail-Adresse")
    assert (
        page.get_by_label("E-Mail").evaluate("(input) => input.validationMessage").startswith("Bitte prüfen")
    )
    page.get_by_label("E-Mail").fill("kein@punkt.example")
    page.get_by_role("button", name="Senden").click()

    expect(page.get_by_role("status")).to_have_text("Danke. Ihre Nachricht ist angekommen.")


def test_the_snippet_works_without_its_script(
    desk: Page, service: Service, site: Website, browser: Browser
) -> None:
    """A plain form: the browser shows the answer."""
    new_form(desk, "Plain fair")
    code = desk.get_by_label("In a page").inner_text()
    site.pages["/"] = f"<!doctype html><html lang=en><body>{code}</body></html>"
    before = len(service.submissions())
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(site.url())
    page.get_by_label("E-mail").fill("plain@example.com")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("body")).to_contain_text('"ok":true')
    context.close()

    [(_, fields, _)] = service.submissions()[before:]
    assert "plain@example.com" == fields["email"]


def test_a_field_without_a_name_is_not_dropped(desk: Page, watch: Watch) -> None:
    """It is refused at its row, which had the focus from the start."""
    watch.expected = ["422"]
    new_form(desk, "Nameless fair")
    desk.get_by_role("link", name="Settings").last.click()
    desk.get_by_role("button", name="Add field").click()
    expect(desk.get_by_label("Your field").last).to_be_focused()
    desk.get_by_role("button", name="Save").click()

    expect(desk.get_by_label("Your field").last).to_have_attribute("aria-invalid", "true")
