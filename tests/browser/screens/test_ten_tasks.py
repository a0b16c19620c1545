"""Ten tasks of somebody who never saw the screens: each from Home, in six steps or fewer.

docs/screens.md lists them.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect

from tests.browser.places import Service
from tests.browser.screens.test_organization import ask

STEPS_MAX: Final = 6
GUIDE: Final = Path(__file__).parents[3] / "docs" / "screens.md"
GOOGLE: Final = """First Name,Middle Name,Last Name,Organization Name,E-mail 1 - Value,Phone 1 - Value,Labels
Ada,,Wren,Wren & Co,ada.wren@example.com,07700 900301,* myContacts
Ben,J,Gull,Wren & Co,ben.gull@example.com,07700 900302,* myContacts
"""


class Walk:
    """Somebody's way through the screens: each click, key, text and choice is a step; there are six."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.steps = 0

    def _step(self) -> None:
        self.steps += 1
        assert self.steps <= STEPS_MAX

    def click(self, target: Locator) -> None:
        self._step()
        target.click()

    def press(self, key: str) -> None:
        self._step()
        self.page.keyboard.press(key)

    def type(self, text: str) -> None:
        """Where the focus is."""
        self._step()
        self.page.keyboard.insert_text(text)

    def choose(self, target: Locator, label: str) -> None:
        self._step()
        target.select_option(label=label)

    def upload(self, target: Locator, name: str, text: str) -> None:
        self._step()
        target.set_input_files(FilePayload(name=name, mimeType="text/csv", buffer=text.encode()))

    def go_to(self, name: str) -> None:
        """By the navigation."""
        self.click(self.page.get_by_role("navigation").get_by_role("link", name=re.compile(f"^{name}")))
        expect(self.page.get_by_role("heading", name=name, level=1)).to_be_visible()

    def find(self, text: str, option: str | re.Pattern[str]) -> None:
        """By search, from anywhere."""
        self.press("Control+k")
        expect(self.page.get_by_role("dialog").get_by_role("combobox")).to_be_focused()
        self.type(text)
        expect(self.page.get_by_role("option", selected=True)).to_contain_text(option)
        self.press("Enter")


@pytest.fixture
def walk(desk: Page) -> Iterator[Walk]:
    desk.goto("/app/")
    expect(desk.get_by_role("heading", level=1)).to_contain_text("Maren")
    walk = Walk(desk)
    yield walk

    assert 0 < walk.steps


def menu(walk: Walk, button: str, item: str) -> None:
    """Open a menu and choose."""
    walk.click(walk.page.get_by_role("button", name=button, exact=True))
    walk.click(walk.page.get_by_role("menuitem", name=item))


def test_who_wrote_last_week_about_a_second_pendant(walk: Walk) -> None:
    """The list of submissions has what people wrote; the panel has all of it."""
    walk.go_to("Submissions")
    walk.click(
        walk.page.get_by_role("row").filter(has_text="It is back on the wall").get_by_role("link").first
    )

    expect(walk.page.get_by_role("complementary").get_by_role("heading", name="Grace Okafor")).to_be_visible()


def test_make_a_deal_of_it(walk: Walk, service: Service) -> None:
    """From the person's page, so that it is theirs."""
    walk.find("grace", "Grace Okafor")
    walk.click(walk.page.get_by_role("link", name="New Deal"))
    expect(walk.page.get_by_role("dialog").get_by_label("Contact", exact=True)).to_have_value("Grace Okafor")
    walk.type("A second brass pendant")
    walk.press("Enter")

    related = walk.page.get_by_role("region", name="Related")
    expect(related.get_by_role("link", name="A second brass pendant")).to_be_visible()


def test_correct_many_phone_numbers(walk: Walk, service: Service, desk: Page) -> None:
    """A column is pasted as in a spreadsheet."""
    numbers = [f"+44 7700 90{number:04}" for number in range(800, 810)]
    desk.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=service.url)
    desk.evaluate("(text) => navigator.clipboard.writeText(text)", "\n".join(numbers))
    before = ask(desk, service, "record.list", objectType="contact", limit=10)["records"]
    walk.go_to("Contacts")
    walk.click(walk.page.get_by_role("row").nth(1).get_by_role("gridcell").nth(3))
    walk.press("Control+v")

    expect(walk.page.get_by_text(re.compile("447700900809"))).to_be_visible()
    after = ask(desk, service, "record.list", objectType="contact", limit=10)["records"]
    assert [number.replace(" ", "") for number in numbers] == [one["properties"]["phone"] for one in after]
    assert [one["id"] for one in before] == [one["id"] for one in after]
    walk.press("Control+z")
    expect(walk.page.get_by_text(re.compile("447700900809"))).to_have_count(0)


def test_import_the_contacts_that_google_has(walk: Walk, service: Service, desk: Page) -> None:
    """First and last name become one, the company is made, nothing has to be chosen."""
    walk.go_to("Contacts")
    menu(walk, "More actions", "Import a file")
    walk.upload(walk.page.locator("input[type=file]"), "contacts.csv", GOOGLE)
    walk.click(walk.page.get_by_role("button", name="Import", exact=True))
    walk.click(walk.page.get_by_role("dialog").get_by_role("button", name="Import"))

    expect(walk.page.get_by_role("link", name=re.compile("Show the"))).to_be_visible()
    found = ask(desk, service, "record.search", objectType="contact", query="gull")["records"]
    assert ["Ben J Gull"] == [one["properties"]["name"] for one in found]
    [company] = ask(desk, service, "record.search", objectType="company", query="Wren")["records"]
    assert company["id"] == found[0]["properties"]["company"]


def test_throw_this_weeks_spam_away(walk: Walk) -> None:
    """All that is held for the field that robots fill in; there is a way back."""
    walk.go_to("Submissions")
    walk.click(walk.page.get_by_role("link", name=re.compile("^Held")))
    row = walk.page.get_by_role("row").filter(has_text="SEO Team")
    walk.click(row.get_by_role("checkbox"))
    walk.click(walk.page.get_by_role("toolbar").get_by_role("button", name="Discard"))

    expect(row).to_have_count(0)
    walk.click(walk.page.get_by_role("button", name="Undo"))
    expect(row).to_have_count(1)


def test_invite_a_colleague_who_may_only_look(walk: Walk) -> None:
    """Whatever can be done is found by what one would call it."""
    walk.find("invite", "Invite somebody")
    expect(walk.page.get_by_role("dialog").get_by_label("E-mail")).to_be_focused()
    walk.type("colin@example.com")
    walk.choose(walk.page.get_by_role("dialog").get_by_label("Role"), "Viewer")
    walk.press("Enter")

    expect(walk.page.get_by_text("colin@example.com").first).to_be_visible()


def test_put_the_price_list_on_a_page(walk: Walk, service: Service, desk: Page) -> None:
    """One line of code, to be copied."""
    walk.go_to("Embeds")
    walk.click(walk.page.get_by_role("link", name="Price list", exact=True))
    walk.click(walk.page.get_by_role("link", name="Put it on a site"))
    desk.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=service.url)
    walk.click(walk.page.get_by_role("button", name="Copy").first)

    assert f"{service.url}/e.js" in desk.evaluate("() => navigator.clipboard.readText()")


def test_two_contacts_that_are_one(walk: Walk, service: Service, desk: Page) -> None:
    """They are shown side by side; what one has and the other lacks stays."""
    for group in ask(desk, service, "record.duplicates", objectType="contact")["groups"]:  # other tests' own
        ask(desk, service, "record.distinguish", ids=[record["id"] for record in group["records"]])
    for properties in ({"email": "tern@example.com"}, {"phone": "+447700900400"}):
        ask(
            desk,
            service,
            "record.create",
            objectType="contact",
            properties={"name": "Tess Tern", **properties},
        )
    walk.go_to("Contacts")
    menu(walk, "More actions", "Find duplicates")
    expect(walk.page.get_by_text("Tess Tern").first).to_be_visible()
    walk.click(walk.page.get_by_role("button", name=re.compile("^Merge")).first)
    walk.click(walk.page.get_by_role("dialog").get_by_role("button", name="Merge"))

    expect(walk.page.get_by_role("status").get_by_text(re.compile("[Mm]erged"))).to_be_visible()
    [one] = ask(desk, service, "record.search", objectType="contact", query="Tess Tern")["records"]
    assert {"tern@example.com", "+447700900400"} <= set(one["properties"].values())


def test_a_deal_is_won(walk: Walk, service: Service, desk: Page) -> None:
    """Its card goes to another column; the sums follow."""
    walk.go_to("Deals")
    walk.click(walk.page.get_by_role("button", name="Board"))
    walk.click(walk.page.get_by_role("button", name="Move Lighting for the library in Ilkley"))
    with walk.page.expect_response(re.compile(r"/tools/record\.update")):
        walk.click(
            walk.page.get_by_role("menuitemradio", name="Won").or_(
                walk.page.get_by_role("menuitem", name="Won")
            )
        )

    won = walk.page.get_by_role("region", name="Won")
    expect(won.get_by_role("link", name="Lighting for the library in Ilkley")).to_be_visible()
    [deal] = ask(desk, service, "record.search", objectType="deal", query="Ilkley")["records"]
    assert "Won" == deal["properties"]["stage"]


def test_note_what_somebody_said_on_the_phone(walk: Walk) -> None:
    """On the person's page, by one key."""
    walk.find("priya", "Priya Nair")
    expect(walk.page.get_by_role("heading", name="Priya Nair", level=1)).to_be_visible()
    walk.press("n")
    walk.type("Wants the samples before Friday.")
    walk.press("Control+Enter")

    expect(
        walk.page.get_by_role("main").get_by_text("Wants the samples before Friday.").first
    ).to_be_visible()


def test_the_guide_lists_them() -> None:
    """As many as there are here."""
    listed = re.findall(r"^\d+\. ", GUIDE.read_text("utf-8"), re.MULTILINE)

    assert 10 == len(listed) == len([name for name in globals() if name.startswith("test_")]) - 1
