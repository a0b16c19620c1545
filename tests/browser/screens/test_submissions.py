"""Submissions: the list, the panel, Attach."""

from playwright.sync_api import Page, expect

from tests.browser.places import Service
from tests.browser.screens.conftest import type_into_opened


def test_held_submissions_are_attached_one_after_the_other_by_keys(desk: Page, service: Service) -> None:
    """`J` and Enter open one, the candidate that matches is chosen, Attach shows the next that is held."""
    desk.goto("/app/submissions?state=Held")
    expect(desk.get_by_role("row")).to_have_count(3)
    desk.keyboard.press("j")
    desk.keyboard.press("j")
    desk.keyboard.press("Enter")
    panel = desk.get_by_role("complementary")
    expect(panel.get_by_role("heading", name="I. Duarte")).to_be_visible()
    expect(panel.get_by_role("radio").first).to_be_checked()
    expect(panel.get_by_text("Same phone")).to_be_visible()
    panel.get_by_role("radio").first.focus()
    desk.keyboard.press("Enter")

    expect(panel.get_by_text("Attached to Ines Duarte. Here is the next one that is held.")).to_be_visible()
    expect(panel.get_by_role("heading", name="SEO Team")).to_be_visible()
    assert [("filed",)] == service.rows(
        "SELECT state FROM submissions WHERE name LIKE '%Duarte%' OR fields LIKE '%I. Duarte%'"
    )


def test_what_is_selected_is_attached_with_one_result(desk: Page, service: Service) -> None:
    """`X` selects, the search narrows, and one line says what became of all."""
    for number in (1, 2):
        fields = {"email": f"robot{number}@example.com", "name": f"Robot {number}", "fax": "filled in"}
        desk.request.post(f"{service.url}/api/f/s", data={"f": service.facts["formKey"], "v": fields})
    desk.goto("/app/submissions?state=Held")
    expect(desk.get_by_role("link", name="Robot 2")).to_be_visible()
    desk.keyboard.press("/")
    type_into_opened(desk, "robot")
    expect(desk.get_by_role("row")).to_have_count(3)
    expect(desk).to_have_url(f"{service.url}/app/submissions?state=Held&q=robot")
    desk.get_by_role("heading", level=1).click()
    for key in ("j", "x", "j", "x"):
        desk.keyboard.press(key)
    desk.get_by_role("toolbar").get_by_role("button", name="Attach each to a new contact").click()

    expect(desk.get_by_text("2 attached")).to_be_visible()
    expect(desk.get_by_text("Nothing found for “robot”")).to_be_visible()


def test_the_address_is_the_state(desk: Page, service: Service) -> None:
    """Filter and panel are in the address; Back closes the panel, with the focus where it was; `Esc` too."""
    desk.goto("/app/submissions")
    desk.get_by_role("link", name="Filed", exact=True).click()
    row = desk.get_by_role("link", name="Grace Okafor")
    row.click()
    expect(desk.get_by_role("complementary")).to_be_visible()
    address = desk.url
    assert "state=Filed" in address
    assert "open=sub_" in address
    desk.reload()
    expect(desk.get_by_role("complementary").get_by_text("grace.okafor@example.com").first).to_be_visible()
    desk.keyboard.press("Escape")
    expect(desk.get_by_role("complementary")).to_have_count(0)
    desk.go_back()
    expect(desk).to_have_url(address)
    expect(desk.get_by_role("complementary")).to_be_visible()


def test_a_filed_submission_leads_to_what_it_became(desk: Page) -> None:
    """Its row to the contact and the deal; its panel names them, and leads to the note."""
    desk.goto("/app/submissions?state=Filed")
    row = desk.get_by_role("row").filter(has_text="Grace Okafor")
    row.get_by_role("link", name="Contact", exact=True).click()
    expect(desk.get_by_role("heading", name="Grace Okafor", level=1)).to_be_visible()
    desk.go_back()
    desk.get_by_role("link", name="Grace Okafor").click()
    panel = desk.get_by_role("complementary")
    expect(panel.get_by_role("link", name="Grace Okafor", exact=True)).to_be_visible()
    expect(panel.get_by_role("link", name="Brass pendant for Grace Okafor")).to_be_visible()
    panel.get_by_role("link", name="Open the contact’s notes").click()
    expect(desk.get_by_role("heading", name="Grace Okafor", level=1)).to_be_visible()
    expect(
        desk.get_by_role("region", name="Activity").get_by_text("Note of a submission").first
    ).to_be_visible()


def test_a_strangers_text_is_text_on_a_phone(phone: Page, service: Service) -> None:
    """Markup, an override of the direction and 2,000 characters without a space show as they are, and fit."""
    hostile = "<img src=x onerror=alert(1)>\u202e txet" + "W" * 1_900
    posted = phone.request.post(
        f"{service.url}/api/f/s",
        data={
            "f": service.facts["formKey"],
            "v": {"email": "hostile@example.com", "name": "\U0001f9a9 Zoë", "message": hostile},
        },
    )
    assert 200 == posted.status
    phone.goto("/app/submissions")
    phone.get_by_role("link", name="\U0001f9a9 Zoë").first.tap()

    expect(phone.get_by_text("<img src=x onerror=alert(1)>")).to_be_visible()
    assert 390 == phone.evaluate("document.documentElement.scrollWidth")


def test_a_submission_that_comes_in_is_seen_at_once(desk: Page, service: Service) -> None:
    """Both tabs have it within a second of the answer to the visitor, though one alone has the stream."""
    second = desk.context.new_page()
    streams: list[str] = []
    for page in (desk, second):
        page.on("request", lambda request: streams.append(request.url) if "/events?" in request.url else None)
        page.goto("/app/submissions")
        expect(page.get_by_role("link", name="Grace Okafor")).to_be_visible()
    desk.wait_for_timeout(300)  # the stream opens after the page is drawn
    desk.request.post(
        f"{service.url}/api/f/s",
        data={"f": service.facts["formKey"], "v": {"email": "quick@example.com", "name": "Quick Visitor"}},
    )

    expect(desk.get_by_role("link", name="Quick Visitor")).to_be_visible(timeout=1_500)
    expect(second.get_by_role("link", name="Quick Visitor")).to_be_visible(timeout=1_500)
    assert 1 == len(streams)


def spam(desk: Page, service: Service, *names: str) -> None:
    """Send a submission of each name that is held as spam, and wait until they are listed."""
    for name in names:
        fields = {"email": f"{name.lower()}@example.com", "name": name, "fax": "filled in"}
        desk.request.post(f"{service.url}/api/f/s", data={"f": service.facts["formKey"], "v": fields})
    desk.goto("/app/submissions?state=Held")
    for name in names:
        expect(desk.get_by_role("link", name=name)).to_be_visible()


def test_spam_is_thrown_away_by_a_key_and_taken_back(desk: Page, service: Service) -> None:
    """`D` discards the open one and shows its neighbour; Undo or the tab of discarded ones bring it back."""
    spam(desk, service, "Mallory", "Trudy")
    panel = desk.get_by_role("complementary")
    for undone in (True, False):
        desk.get_by_role("link", name="Trudy").click()
        expect(panel.get_by_role("heading", name="Trudy")).to_be_visible()
        if undone:
            desk.keyboard.press("d")
        else:
            panel.get_by_role("button", name="Discard").click()
        expect(desk.get_by_text("1 discarded").last).to_be_visible()
        expect(panel.get_by_role("heading", name="Mallory")).to_be_visible()
        expect(desk.get_by_role("link", name="Trudy")).to_have_count(0)
        if undone:
            desk.get_by_role("button", name="Undo").click()
            expect(desk.get_by_text("1 restored")).to_be_visible()
    desk.get_by_role("link", name="Discarded", exact=True).click()
    expect(desk).to_have_url(f"{service.url}/app/submissions?discarded=true")
    desk.get_by_role("link", name="Trudy").click()
    expect(panel.get_by_text("It is removed for good after 30 days.")).to_be_visible()
    expect(panel.get_by_role("button", name="Attach")).to_have_count(0)
    panel.get_by_role("button", name="Restore").click()

    expect(desk.get_by_text("Nothing is discarded")).to_be_visible()
    expect(panel).to_have_count(0)
    assert [("held",)] == service.rows("SELECT state FROM submissions WHERE name = 'Trudy'")


def test_what_is_selected_is_discarded_but_for_what_is_filed(desk: Page, service: Service) -> None:
    """Of all, those that wait go, and the line says how many were filed already."""
    spam(desk, service, "Oscar")
    desk.goto("/app/submissions")
    desk.get_by_role("checkbox", name="Select Oscar").check()
    desk.get_by_role("checkbox", name="Select Grace Okafor").check()
    desk.get_by_role("toolbar").get_by_role("button", name="Discard").click()

    expect(desk.get_by_text("1 discarded, 1 is filed already")).to_be_visible()
    expect(desk.get_by_role("link", name="Oscar")).to_have_count(0)
    expect(desk.get_by_role("link", name="Grace Okafor")).to_be_visible()
    desk.get_by_role("link", name="Discarded", exact=True).click()
    desk.get_by_role("checkbox", name="Select Oscar").check()
    desk.get_by_role("toolbar").get_by_role("button", name="Restore").click()

    expect(desk.get_by_text("1 restored")).to_be_visible()
    expect(desk.get_by_text("Nothing is discarded")).to_be_visible()
