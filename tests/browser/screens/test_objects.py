"""Objects: their properties, and whether they may appear in embeds."""

from playwright.sync_api import Page, expect

from tests.browser.screens.conftest import Watch, type_into_opened
from tests.browser.screens.test_every_screen import faults


def test_an_object_is_made_with_a_property_by_keys_alone(desk: Page, watch: Watch) -> None:
    """Its name for programs is proposed; a property is made, made personal, and deleted by its name."""
    watch.expected = ["422"]
    desk.goto("/app/settings/objects")
    expect(desk.get_by_role("link", name="Lamps", exact=True)).to_be_visible()
    desk.keyboard.press("c")
    type_into_opened(desk, "Kayak")
    expect(desk.get_by_label("API name")).to_have_value("kayak")
    desk.keyboard.press("Enter")
    expect(desk.get_by_role("heading", name="Kayaks")).to_be_visible()
    desk.keyboard.press("c")
    type_into_opened(desk, "Home port")
    desk.get_by_label("Type").focus()
    desk.keyboard.type("One of")
    expect(desk.get_by_label("Choices")).to_be_visible()
    desk.get_by_label("Name", exact=True).focus()
    desk.keyboard.press("Enter")
    expect(desk.get_by_label("Choices")).to_be_focused()
    expect(desk.get_by_label("Choices")).to_have_attribute("aria-invalid", "true")
    desk.keyboard.type("Leith\nWhitby")
    desk.get_by_label("Name", exact=True).focus()
    desk.keyboard.press("Enter")
    row = desk.get_by_role("row").filter(has_text="home_port")
    expect(row).to_contain_text("Leith, Whitby")
    row.get_by_role("button", name="More for Home port").focus()
    desk.keyboard.press("Enter")
    expect(desk.get_by_role("menuitem", name="Change")).to_be_focused()
    desk.keyboard.press("Enter")
    desk.get_by_role("switch", name="Personal").focus()
    desk.keyboard.press("Space")
    desk.get_by_label("Name", exact=True).focus()
    desk.keyboard.press("Enter")
    expect(desk.get_by_text("Saved: personal")).to_be_visible()
    expect(desk.get_by_text("Home port (personal)")).to_be_visible()
    row.get_by_role("button", name="More for Home port").focus()
    desk.keyboard.press("Enter")
    expect(desk.get_by_role("menuitem", name="Change")).to_be_focused()
    desk.keyboard.press("ArrowDown")
    desk.keyboard.press("Enter")
    expect(desk.get_by_role("dialog", name="Delete “Home port”?").get_by_role("textbox")).to_be_focused()
    desk.keyboard.type("Home port")
    desk.keyboard.press("Enter")

    expect(row).to_have_count(0)


def test_the_switch_shows_exactly_what_embeds_would_show(desk: Page, phone: Page) -> None:
    """Off, the newest records stand there as on a page, and what never appears; Undo takes it back."""
    desk.goto("/app/settings/objects/deal")
    switch = desk.get_by_role("switch", name="This object may appear in embeds")
    visitors = desk.locator(".visitors-host")
    expect(visitors.get_by_role("columnheader")).to_have_text(["Name", "Amount", "Stage", "Close date"])
    expect(desk.get_by_text("Contact (leads to a person)")).to_be_visible()
    expect(desk.get_by_text("Company (its object does not appear in embeds)")).to_be_visible()
    expect(switch).not_to_be_checked()
    switch.check()
    expect(desk.get_by_text("Deals may appear in embeds now")).to_be_visible()
    phone.goto("/app/settings/objects/deal")
    expect(phone.get_by_role("switch")).to_be_checked()
    assert [] == faults(desk) + faults(phone)
    assert 390 >= phone.evaluate("document.documentElement.scrollWidth")
    desk.get_by_role("button", name="Undo").click()

    expect(switch).not_to_be_checked()
    expect(phone.get_by_role("switch")).not_to_be_checked()
