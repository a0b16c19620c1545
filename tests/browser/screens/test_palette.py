"""The palette: finding anything by a few letters, and doing what can be done, by the keyboard alone."""

import re
from typing import Final

from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.places import Service
from tests.browser.screens.conftest import Watch
from tests.browser.screens.test_every_screen import faults

_NOT_LATER: Final = """
    const soon = window.setTimeout;
    window.setTimeout = (run, wait, ...rest) => (wait === 1000 ? 0 : soon(run, wait, ...rest));
"""
"""Has the page not load by itself what it loads a second after it was drawn."""


def opened(page: Page, typed: str = "") -> None:
    """Open the palette, and type."""
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Go to, find or do")).to_be_focused()
    page.keyboard.type(typed)


def results(page: Page) -> Locator:
    return page.get_by_role("listbox", name="Go to, find or do").get_by_role("option")


def contact_name(service: Service) -> str:
    """That of some contact, in two words."""
    [(name,)] = service.rows(
        """SELECT json_extract(properties, '$.name') AS name
           FROM records JOIN objects ON objects.id = records.object_id
           WHERE slug = 'contact' AND deleted_at IS NULL AND name LIKE '% %' LIMIT 1"""
    )
    found: str = name
    return found


def test_everything_is_found_by_a_part_of_its_name(desk: Page, service: Service) -> None:
    """Screens, forms, embeds, people, keys and guides, records and submissions, each in its group."""
    desk.goto("/app/")
    contact = contact_name(service)
    [(form, sent)] = service.rows(
        """SELECT (SELECT name FROM forms WHERE status = 'active' LIMIT 1),
                  (SELECT name FROM submissions WHERE state = 'filed' AND name IS NOT NULL LIMIT 1)"""
    )
    for typed, group, label in (
        ("audit", "Screens", "Audit trail"),
        (form.lower(), "Forms", form),
        ("price", "Embeds", "Price list"),
        ("ellen", "Members", "Ellen Marsh"),
        ("webhooks", "Guides", "Webhooks and events"),
        (contact.lower(), "Records", contact),
        (sent.lower(), "Submissions", sent),
        ("sign out", "Actions", "Sign out"),
    ):
        opened(desk, typed)
        expect(desk.locator(f'[role=option][data-group="{group}"]')).to_contain_text(label)
        desk.keyboard.press("Escape")
        expect(desk.get_by_role("dialog")).to_have_count(0)


def test_a_record_leads_to_its_page(desk: Page, service: Service) -> None:
    """By arrows and Enter; the next time it comes first, before anything is typed."""
    desk.goto("/app/forms")
    name = contact_name(service)
    opened(desk, name)
    record = desk.locator("[role=option][data-group=Records]")
    expect(record).to_contain_text(name)
    groups = [option.get_attribute("data-group") for option in results(desk).all()]
    place = groups.index("Records")
    for _ in range(place):
        desk.keyboard.press("ArrowDown")
    expect(record).to_have_attribute("aria-selected", "true")
    desk.keyboard.press("Enter")
    expect(desk).to_have_url(re.compile(r"/app/records/\w+/rec_"))
    opened(desk)
    first = results(desk).first
    expect(first).to_have_attribute("data-group", "Opened last")
    expect(first).to_contain_text(name)


def test_what_is_typed_before_it_is_there_is_not_lost(desk: Page, service: Service) -> None:
    """Its program comes after the page's: the key that opens it may be pressed sooner."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    desk.add_init_script(_NOT_LATER)
    desk.goto("/app/forms")
    expect(desk.locator("h1")).to_be_visible()
    desk.route("**/app/static/part-*.js", hold)
    desk.keyboard.press("Control+k")
    desk.keyboard.type("gateway")
    expect(desk).to_have_url(f"{service.url}/app/forms")  # `G` and `E` have gone nowhere
    assert held
    for route in held:
        route.continue_()
    expect(desk.get_by_role("combobox", name="Go to, find or do")).to_have_value("gateway")
    desk.keyboard.press("Enter")
    expect(desk).to_have_url(f"{service.url}/app/settings/gateway-keys")


def test_slips_are_forgiven(desk: Page, service: Service) -> None:
    """Two letters exchanged, one left out, one wrong: of screens, and of records."""
    desk.goto("/app/")
    name = contact_name(service)
    last = name.split()[-1]
    wrong = last[:-2] + last[-1] + last[-2]
    for typed, label in (
        ("sumbissions", "Submissions"),
        ("memers", "Members"),
        (f"{name.split()[0]} {wrong}", name),
        ("tom ried", "Tom Reid"),
    ):
        opened(desk, typed)
        expect(results(desk).first).to_contain_text(label)
        desk.keyboard.press("Escape")
    opened(desk, "xyzzyx")
    expect(desk.get_by_text("Nothing found for “xyzzyx”")).to_be_visible()
    assert [] == results(desk).all_inner_texts()


def test_actions_of_other_screens_are_done(desk: Page, service: Service) -> None:
    """A dialog of another screen opens; the theme changes where one is."""
    desk.goto("/app/")
    opened(desk, "invite")
    desk.keyboard.press("Enter")
    expect(desk).to_have_url(f"{service.url}/app/settings/members?new=1")
    expect(desk.get_by_role("dialog")).to_be_visible()
    desk.keyboard.press("Escape")
    opened(desk, "theme dark")
    desk.keyboard.press("Enter")
    expect(desk.locator("html")).to_have_attribute("data-theme", "dark")
    opened(desk, "create form")
    expect(results(desk).first).to_contain_text("C")
    desk.keyboard.press("Enter")
    expect(desk).to_have_url(f"{service.url}/app/forms?new=1")


def test_what_comes_later_moves_nothing(desk: Page) -> None:
    """Answers that take their time are added below; the chosen one stays chosen, and so does the height."""
    waiting: list[Route] = []

    def hold(route: Route) -> None:
        waiting.append(route)

    desk.goto("/app/")
    opened(desk, "mar")
    expect(results(desk).filter(has_text="Maren Holt")).to_be_visible()
    desk.keyboard.press("Escape")
    desk.route("**/app/api/tools/record.search", hold)
    with desk.expect_request("**/app/api/tools/record.search"):
        opened(desk, "mar")
    expect(results(desk).first).to_be_visible()
    desk.keyboard.press("ArrowDown")
    chosen = desk.locator("[aria-selected=true]").inner_text()
    before, box = results(desk).all_inner_texts(), desk.get_by_role("dialog").bounding_box()
    for route in waiting:
        route.continue_()
    desk.unroute("**/app/api/tools/record.search")
    expect(desk.get_by_role("status").filter(has_text=re.compile("found"))).to_be_visible()

    assert before == results(desk).all_inner_texts()[: len(before)]
    assert chosen == desk.locator("[aria-selected=true]").inner_text()
    assert box == desk.get_by_role("dialog").bounding_box()


def test_a_search_that_fails_says_so_and_leaves_the_rest(desk: Page, watch: Watch) -> None:
    """Screens are found all the same; the next letter tries again."""
    watch.expected = ["503"]
    desk.goto("/app/")
    desk.route("**/app/api/tools/record.search", lambda route: route.fulfill(status=503, body="{}"))
    opened(desk, "audit")
    expect(desk.get_by_text("could not be searched just now")).to_be_visible()
    expect(results(desk).first).to_contain_text("Audit trail")
    desk.unroute("**/app/api/tools/record.search")
    desk.keyboard.type(" t")
    expect(desk.get_by_text("could not be searched just now")).to_have_count(0)


def test_on_a_phone_it_is_the_whole_screen(phone: Page) -> None:
    """Opened by the bar, with a way back that needs no key; nothing wrong for those who hear it."""
    phone.goto("/app/")
    phone.get_by_role("button", name="Search").click()
    dialog = phone.get_by_role("dialog")
    expect(dialog).to_be_visible()
    box = dialog.bounding_box()
    assert box is not None
    assert (0, 0, 390, 844) == (box["x"], box["y"], box["width"], box["height"])
    phone.keyboard.type("embeds")
    expect(results(phone).first).to_contain_text("Embeds")
    assert [] == faults(phone)
    phone.get_by_role("button", name="Cancel").click()
    expect(dialog).to_have_count(0)


def test_signing_out_forgets_what_was_opened(stranger: Page, service: Service) -> None:
    """It is nobody else's business who uses the browser next."""
    stranger.goto("/app/sign-in")
    stranger.get_by_label("E-mail").fill(service.facts["owner"]["email"])
    stranger.get_by_label("Password", exact=True).fill(service.facts["owner"]["password"])
    stranger.keyboard.press("Enter")
    stranger.wait_for_selector("#title")
    opened(stranger, "embeds")
    stranger.keyboard.press("Enter")
    expect(stranger).to_have_url(f"{service.url}/app/embeds")
    kept = "Object.keys(localStorage).filter((key) => key.startsWith('svc-recent-')).length"
    assert 1 == stranger.evaluate(kept)
    opened(stranger, "sign out")
    stranger.keyboard.press("Enter")
    expect(stranger.get_by_role("button", name="Sign in")).to_be_visible()

    assert 0 == stranger.evaluate(kept)
