"""Embeds: the list, and the editor beside the very fragment that visitors get."""

from playwright.sync_api import Page, expect

from tests.browser.places import Service, Website
from tests.browser.screens.conftest import Watch, type_into_opened
from tests.browser.screens.test_every_screen import faults

_ADOPTED = """
(host) => ({
  sheets: host.shadowRoot.adoptedStyleSheets.length,
  inline: host.shadowRoot.querySelectorAll("[style], script, img").length,
  text: host.shadowRoot.textContent,
})
"""


def _kinds(page: Page) -> list[str]:
    return page.locator(".block-open .two-lines > span:first-child").all_inner_texts()


def _add(page: Page, kind: str) -> None:
    page.get_by_role("button", name="Add block").click()
    page.get_by_role("menuitem", name=kind).click()


def test_an_embed_is_built_put_on_a_page_and_paused(desk: Page, website: Website) -> None:
    """The preview shows what the loader shows; a refused block says why, at the block and at Save."""
    desk.goto("/app/embeds")
    expect(desk.get_by_role("link", name="Price list")).to_be_visible()
    desk.keyboard.press("c")
    type_into_opened(desk, "Fair 2026")
    desk.keyboard.press("Enter")
    expect(desk.get_by_role("heading", name="Fair 2026")).to_be_visible()
    expect(desk.get_by_label("Site").locator("option").first).to_have_text("Any site")
    _add(desk, "Hero")
    expect(desk.get_by_label("Title", exact=True)).to_be_focused()
    desk.keyboard.type("Meet us <b>there</b>")
    desk.get_by_label("Picture").fill("https://pictures.example.net/stand.jpg")
    _add(desk, "Text")
    long = "x" * 2_000
    desk.get_by_label("Text", exact=True).fill(f"**Stand 12** \u202e{long}")
    visitors = desk.locator(".visitors-host")
    expect(visitors.get_by_role("heading", name="Meet us <b>there</b>")).to_be_visible()
    expect(visitors.get_by_role("img", name="pictures.example.net")).to_be_visible()
    expect(visitors.get_by_text(long)).to_be_visible()
    shown = visitors.evaluate(_ADOPTED)

    assert (1, 0) == (shown["sheets"], shown["inline"])
    _add(desk, "Records")
    desk.get_by_label("Object").select_option("deal")
    expect(desk.locator(".block").nth(2)).to_contain_text("Deals may not appear in embeds")
    expect(desk.get_by_text("Blocks 1, 2 and 3 added")).to_be_visible()
    desk.get_by_role("button", name="Save").click()
    expect(desk.get_by_role("alert")).to_contain_text("Saved, but 1 block shows nothing")
    expect(desk.get_by_role("alert")).to_contain_text("Block 3 of 3")
    assert [] == faults(desk)
    desk.get_by_role("link", name="Put it on a site").click()
    snippet = desk.get_by_label("In a page").inner_text()
    website.pages["/"] = f"<!doctype html><title>A page</title>{snippet}"
    elsewhere = desk.context.browser.new_page()  # type: ignore[union-attr]  # it has one
    elsewhere.route("**/stand.jpg", lambda route: route.abort())
    elsewhere.goto(website.url())
    expect(elsewhere.get_by_role("heading", name="Meet us <b>there</b>")).to_be_visible()
    theirs = elsewhere.locator("[data-svc-embed]").evaluate("(host) => host.shadowRoot.textContent")

    assert theirs.replace("\n", "") == shown["text"].replace("\n", "").replace(
        "pictures.example.net", ""
    ).replace("Made with svc", "This cannot be shown at the moment.Made with svc")
    desk.get_by_role("button", name="Pause").click()
    expect(desk.get_by_text("“Fair 2026” is paused")).to_be_visible()
    elsewhere.reload()
    expect(elsewhere.get_by_role("heading")).to_have_count(0)
    elsewhere.close()


def test_removing_asks_by_name_and_pausing_is_taken_back(desk: Page, service: Service, watch: Watch) -> None:
    """Pausing is done at once, with Undo; what cannot be taken back has to be typed."""
    watch.expected = ["404"]  # a hint of the removal may come before its answer
    desk.goto("/app/embeds?new=1")
    desk.get_by_label("Name").fill("Gone soon")
    desk.keyboard.press("Enter")
    desk.get_by_role("button", name="Pause").click()
    expect(desk.get_by_role("button", name="Resume")).to_be_visible()
    desk.locator(".toasts").get_by_role("button", name="Undo").click()  # the page has one of its own
    expect(desk.get_by_role("button", name="Pause")).to_be_visible()
    desk.get_by_role("button", name="More for this embed").click()
    desk.get_by_role("menuitem", name="Remove embed").click()
    dialog = desk.get_by_role("dialog", name="Remove “Gone soon”?")
    dialog.get_by_role("textbox").fill("Gone soon")
    dialog.get_by_role("button", name="Remove embed").click()

    expect(desk).to_have_url(f"{service.url}/app/embeds")
    expect(desk.get_by_role("row").filter(has_text="Gone soon")).to_have_count(0)


def test_filters_hold_together_and_their_alternatives_one_by_one(desk: Page) -> None:
    """ "or" beside a filter makes a group of it; a group of one is a filter again, also once it is saved."""
    desk.goto("/app/embeds?new=1")
    desk.get_by_label("Name").fill("Cheap or brass")
    desk.keyboard.press("Enter")
    _add(desk, "Records")
    desk.get_by_label("Object").select_option("lamp")
    fragment = desk.locator(".visitors-host")
    expect(fragment.get_by_text("Brass pendant")).to_be_visible()
    desk.get_by_role("button", name="Add filter").click()
    desk.get_by_label("Property 1", exact=True).select_option("price")
    desk.get_by_label("Comparison 1", exact=True).select_option("lte")
    desk.get_by_label("Value 1", exact=True).fill("50")
    desk.get_by_role("button", name="or: an alternative to filter 1").click()
    group = desk.get_by_role("group", name="Filter 1: one of these")
    group.get_by_label("Property 1.2").select_option("price")
    group.get_by_label("Comparison 1.2").select_option("gte")
    group.get_by_label("Value 1.2").fill("300")
    expect(fragment.get_by_text("Brass pendant")).to_have_count(0)
    cheapest, dearest = fragment.get_by_text("Sailcloth shade"), fragment.get_by_text("Tideline floor lamp")
    expect(cheapest).to_be_visible()
    expect(dearest).to_be_visible()

    assert [] == faults(desk)
    desk.get_by_role("button", name="Save").click()
    expect(desk.get_by_text("Saved")).to_be_visible()
    desk.reload()
    desk.get_by_role("button", name="Remove filter 1.1").click()
    expect(desk.get_by_label("Comparison 1", exact=True)).to_have_value("gte")
    expect(cheapest).to_have_count(0)
    expect(dearest).to_be_visible()


def test_blocks_are_moved_by_keys_by_buttons_and_by_drag_and_taken_back(desk: Page) -> None:
    """Each move is one step back; `Y` goes forward again; Cancel leaves what is saved."""
    desk.goto("/app/embeds")
    desk.get_by_role("link", name="Ready to go").click()
    saved = ["Hero", "Records", "Text", "Form"]
    expect(desk.locator(".block")).to_have_count(4)
    desk.get_by_role("button", name="Edit block 4: Form").focus()
    desk.keyboard.press("Alt+ArrowUp")
    expect(desk.get_by_text("Now block 3 of 4")).to_be_attached()
    expect(desk.get_by_role("button", name="Edit block 3: Form")).to_be_focused()
    desk.keyboard.press("Alt+ArrowUp")
    expect(desk.get_by_text("Order of the blocks.")).to_be_visible()

    assert ["Hero", "Form", "Records", "Text"] == _kinds(desk)
    desk.keyboard.press("z")
    desk.keyboard.press("z")
    expect(desk.get_by_text("Nothing changed.")).to_be_visible()
    assert saved == _kinds(desk)
    desk.keyboard.press("y")
    expect(desk.get_by_text("Order of the blocks.")).to_be_visible()
    assert ["Hero", "Records", "Form", "Text"] == _kinds(desk)
    desk.get_by_role("button", name="Move block 3 down").click()
    expect(desk.get_by_text("Nothing changed.")).to_be_visible()
    start = desk.locator(".block-handle").first.bounding_box()
    end = desk.locator(".block").nth(2).bounding_box()
    assert start
    assert end
    desk.mouse.move(start["x"] + 8, start["y"] + 8)
    desk.mouse.down()
    desk.mouse.move(start["x"] + 8, end["y"] + end["height"] - 4, steps=12)
    desk.mouse.up()
    expect(desk.get_by_text("Order of the blocks.")).to_be_visible()
    assert ["Records", "Text", "Hero", "Form"] == _kinds(desk)
    desk.get_by_role("button", name="Undo", exact=True).click()
    expect(desk.get_by_text("Nothing changed.")).to_be_visible()
    assert saved == _kinds(desk)
    desk.get_by_role("button", name="More for block 2").click()
    desk.get_by_role("menuitem", name="Remove").click()
    expect(desk.get_by_text("1 block removed.")).to_be_visible()
    desk.get_by_role("button", name="Cancel").click()

    expect(desk.get_by_text("Nothing changed.")).to_be_visible()
    assert saved == _kinds(desk)


def test_twenty_blocks_are_the_most_and_a_fault_stands_at_its_field(desk: Page, watch: Watch) -> None:
    """What cannot be saved says where, and keeps what was typed."""
    watch.expected = ["422"]
    desk.goto("/app/embeds?new=1")
    desk.get_by_label("Name").fill("Long")
    desk.keyboard.press("Enter")
    _add(desk, "Hero")
    desk.get_by_label("Title", exact=True).fill("One of many")
    desk.get_by_label("Where the button leads").fill("javascript:alert(1)")
    expect(desk.locator(".visitors-note")).to_contain_text("This is what was last right")
    desk.get_by_role("button", name="Save").click()
    field = desk.get_by_label("Where the button leads")
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-invalid", "true")
    field.fill("/fair")
    for n in range(1, 20):
        desk.get_by_role("button", name=f"More for block {n}", exact=True).click()
        desk.get_by_role("menuitem", name="Duplicate").click()
    expect(desk.get_by_text("20 blocks are the most.")).to_be_visible()
    desk.get_by_role("button", name="Add block").click()
    expect(desk.get_by_role("menuitem", name="Hero")).to_be_disabled()
    desk.keyboard.press("Escape")
    desk.get_by_role("button", name="Save").click()

    expect(desk.get_by_text("Nothing changed.")).to_be_visible()
    desk.reload()
    expect(desk.locator(".block")).to_have_count(20)


def test_the_second_at_an_embed_never_overwrites_unseen(desk: Page, phone: Page) -> None:
    """On a desk and on a phone: the second hears what the first changed, and keeps both."""
    desk.goto("/app/embeds")
    desk.get_by_role("link", name="Summer sale").click()
    expect(desk.get_by_role("button", name="Resume")).to_be_visible()
    expect(desk.get_by_text("Paused: visitors get nothing now.")).to_be_visible()
    phone.goto(desk.url)
    phone.get_by_role("button", name="Edit block 1").click()
    phone.get_by_label("Subtitle").fill("While it lasts")
    desk.get_by_label("Name", exact=True).first.fill("Late summer sale")
    desk.get_by_role("button", name="Save").click()
    expect(desk.get_by_text("Saved: name")).to_be_visible()
    alert = phone.get_by_role("alert")
    expect(alert).to_contain_text("in another tab: name. Yours, not saved yet: block 1 changed.")
    expect(phone.get_by_role("button", name="Save")).to_be_disabled()
    alert.get_by_role("button", name="Keep mine").click()
    phone.get_by_role("button", name="Save").click()
    expect(phone.get_by_text("Saved: block 1 changed")).to_be_visible()

    expect(phone.get_by_role("heading", name="Late summer sale", level=1)).to_be_visible()
    expect(desk.locator(".visitors-host").get_by_text("While it lasts")).to_be_visible()
    assert [] == faults(phone)
    assert 390 >= phone.evaluate("document.documentElement.scrollWidth")
