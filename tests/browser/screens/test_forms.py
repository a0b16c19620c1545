"""Forms: the list, a form's settings, and how it is put on a site."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.places import Service
from tests.browser.screens.conftest import Watch, type_into_opened


def part(page: Page, name: str) -> Locator:
    """The link to that part of a form."""
    return page.get_by_role("navigation", name="Parts of the form").get_by_role("link", name=name)


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (640, 400), (320, 568)])
def test_a_form_is_made_mapped_and_removed(
    desk: Page, service: Service, watch: Watch, width: int, height: int
) -> None:
    """A new form shows its snippet; what was sent proposes a mapping and previews the deal; removing asks."""
    desk.set_viewport_size({"width": width, "height": height})  # the second is the first at 200 %
    watch.expected = ["422", "404"]  # a hint of the removal may come before its answer
    desk.goto("/app/forms")
    expect(desk.get_by_role("link", name="Trade enquiries")).to_be_visible()
    desk.keyboard.press("c")
    type_into_opened(desk, "Spring fair")
    desk.keyboard.press("Enter")
    expect(desk.get_by_role("heading", name="Spring fair")).to_be_visible()
    key = desk.get_by_label("Form key", exact=True).inner_text()
    sent = {"email": "fair@example.com", "name": "Noor", "Job title": "Buyer", "lamp": "Skerry"}
    desk.request.post(f"{service.url}/api/f/s", data={"f": key, "v": sent})
    part(desk, "Settings").click()
    desk.get_by_role("button", name="Map to Job title").click()
    expect(desk.get_by_label("Your field").last).to_have_value("Job title")
    desk.get_by_label("Create a deal for each submission").check()
    desk.get_by_label("Title of the deal").fill("{{lamp}} at the fair for {{name}}")
    expect(desk.get_by_text("Skerry at the fair for Noor")).to_be_visible()
    desk.get_by_label("Honeypot").fill("email")
    desk.get_by_role("button", name="Save").click()
    expect(desk.get_by_label("Honeypot")).to_have_attribute("aria-invalid", "true")
    expect(desk.get_by_label("Honeypot")).to_be_focused()
    desk.get_by_label("Honeypot").fill("fax2")
    desk.get_by_role("button", name="Save").click()
    expect(desk.get_by_text("Saved")).to_be_visible()
    assert width == desk.evaluate("document.documentElement.scrollWidth")
    desk.reload()
    expect(desk.get_by_label("Title of the deal")).to_have_value("{{lamp}} at the fair for {{name}}")
    desk.get_by_role("button", name="More for this form").click()
    desk.get_by_role("menuitem", name="Remove form").click()
    dialog = desk.get_by_role("dialog", name="Remove “Spring fair”?")
    expect(dialog.get_by_role("button", name="Remove form")).to_be_disabled()
    dialog.get_by_role("textbox").fill("Spring fair")
    dialog.get_by_role("button", name="Remove form").click()

    expect(desk).to_have_url(f"{service.url}/app/forms")
    expect(desk.get_by_role("row").filter(has_text="Spring fair")).to_have_count(0)


def test_pausing_is_taken_back_by_a_key(desk: Page) -> None:
    """Pausing is done at once; `Z` takes it back."""
    desk.goto("/app/forms")
    desk.get_by_role("link", name="Trade enquiries").click()
    desk.get_by_role("button", name="Pause").click()
    expect(desk.get_by_text("“Trade enquiries” is paused")).to_be_visible()
    expect(desk.get_by_role("button", name="Resume")).to_be_visible()
    desk.get_by_role("heading", name="Trade enquiries").click()
    desk.keyboard.press("z")

    expect(desk.get_by_role("button", name="Pause")).to_be_visible()


def test_leaving_unsaved_work_asks(desk: Page, service: Service) -> None:
    """By a link, by `G` and a letter, and by Back; what was typed is still there."""
    desk.goto("/app/forms")
    desk.get_by_role("link", name="Trade enquiries").click()
    part(desk, "Settings").click()
    name = desk.get_by_label("Name", exact=True)
    name.fill("Trade enquiries 2")
    for way in ("link", "keys", "back"):
        if way == "link":
            desk.get_by_role("link", name="Submissions").click()
        elif way == "keys":
            desk.get_by_role("heading", level=1).click()
            desk.keyboard.press("g")
            desk.keyboard.press("f")
        else:
            desk.go_back()
        desk.get_by_role("dialog").get_by_role("button", name="Stay here").click()
        expect(name).to_have_value("Trade enquiries 2")
    desk.get_by_role("link", name="Submissions").click()
    desk.get_by_role("dialog").get_by_role("button", name="Leave").click()

    expect(desk).to_have_url(f"{service.url}/app/submissions")


def test_what_somebody_else_changed_is_never_written_over_unseen(desk: Page) -> None:
    """The second sees the change as it happens, and says whose counts."""
    desk.goto("/app/forms")
    desk.get_by_role("link", name="Lamp of the month").click()
    part(desk, "Settings").click()
    other = desk.context.new_page()
    other.goto(desk.url)
    desk.get_by_label("Honeypot").fill("fax9")
    other.get_by_label("Honeypot").fill("fax8")
    other.get_by_role("button", name="Save").click()
    expect(other.get_by_text("Saved")).to_be_visible()

    expect(desk.get_by_role("alert")).to_contain_text("Honeypot is now “fax8”")
    expect(desk.get_by_label("Honeypot")).to_have_value("fax9")
    desk.get_by_role("button", name="Take theirs").click()
    expect(desk.get_by_label("Honeypot")).to_have_value("fax8")
