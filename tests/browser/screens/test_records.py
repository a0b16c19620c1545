"""The list of an object's records: as a grid, with its views, in bulk, and on a phone."""

import json
import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route, StorageState, expect

from tests.browser.places import WAIT_SECONDS, Service, wait_for
from tests.browser.screens.conftest import DESK, Watch, type_into_opened
from tests.browser.screens.test_every_screen import faults

_NUMBERS: Final = count(1)
_PROPERTIES: Final[list[dict[str, Any]]] = [
    {"slug": "berth", "label": "Berth", "type": "number"},
    {"slug": "price", "label": "Price", "type": "amount"},
    {"slug": "rig", "label": "Rig", "type": "select", "options": ["Sloop", "Ketch", "Schooner"]},
    {"slug": "mail", "label": "Mail", "type": "email"},
]
_BOATS: Final[list[dict[str, Any]]] = [
    {"name": "Alba", "berth": 3, "price": 1200, "price_currency": "EUR", "rig": "Sloop"},
    {"name": "Brigid", "berth": 1, "price": 900.5, "price_currency": "EUR", "rig": "Ketch"},
    {"name": "Corrie", "berth": 2, "rig": "Sloop", "mail": "corrie@example.com"},
]


class Boats:
    """An object of a test's own, with its records."""

    def __init__(self, service: Service, page: Page) -> None:
        self._service, self._page = service, page
        self.slug = f"boat_{next(_NUMBERS)}"
        self.path = f"/app/records/{self.slug}"

    def call(self, tool: str, asked: dict[str, Any]) -> Any:
        headers = {"Authorization": f"Bearer {self._service.facts['apiKey']}"}
        url = f"{self._service.url}/api/v1/tools/{tool}"
        answer = self._page.request.post(url, data=asked, headers=headers)
        assert answer.ok, answer.text()
        return answer.json()

    def build(self, records: list[dict[str, Any]]) -> None:
        self.call("object.create", {"slug": self.slug, "label": "Boat", "labelPlural": "Boats"})
        for property_ in _PROPERTIES:
            self.call("property.create", {"objectType": self.slug, **property_})
        for start in range(0, len(records), 100):
            batch = [{"properties": values} for values in records[start : start + 100]]
            self.call("record.create_many", {"objectType": self.slug, "records": batch})

    def stored(self) -> dict[str, dict[str, Any]]:
        """The values of each by its name, on disk."""
        rows = self._service.rows(
            """SELECT records.properties FROM records JOIN objects ON objects.id = object_id
               WHERE objects.slug = ? AND records.deleted_at IS NULL""",
            self.slug,
        )
        records = [json.loads(values) for (values,) in rows]
        return {values["name"]: values for values in records}

    def wait_for(self, name: str, **values: Any) -> None:
        """Until the record called *name* has *values*; None for one that it has not."""
        wait_for(
            self.stored,
            lambda stored: all(stored.get(name, {}).get(slug) == value for slug, value in values.items()),
        )


@pytest.fixture
def boats(service: Service, desk: Page) -> Boats:
    made = Boats(service, desk)
    made.build(_BOATS)
    return made


@pytest.fixture
def colleague(browser: Browser, service: Service, owner: StorageState) -> Iterator[Page]:
    """Another page of the owner, in a browser of its own."""
    context: BrowserContext = browser.new_context(
        base_url=service.url, viewport=DESK, storage_state=owner, reduced_motion="reduce"
    )
    context.set_default_timeout(WAIT_SECONDS * 1_000)
    yield context.new_page()
    context.close()


def names(page: Page) -> list[str]:
    """The names in the grid, from the top."""
    return page.locator(".grid-row .grid-name").all_inner_texts()


def cell(page: Page, name: str, column: str) -> Locator:
    heading = page.get_by_role("columnheader", name=column, exact=True)
    at = heading.get_attribute("data-heading")
    return page.locator(".grid-row", has_text=name).locator(f"[data-column='{at}']")


def open_list(page: Page, boats: Boats, query: str = "") -> None:
    page.goto(boats.path + query)
    # What changes cells is loaded once they are drawn.
    expect(page.get_by_role("grid")).to_have_attribute("aria-readonly", "false")


def query_of(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def test_a_list_is_sorted_filtered_and_searched_by_its_address(desk: Page, boats: Boats) -> None:
    """Each is in the address, so a reload and Back show the same; the foot adds up what is left."""
    open_list(desk, boats)
    expect(desk.get_by_text("3 records")).to_be_visible()
    assert ["Corrie", "Brigid", "Alba"] == names(desk)
    foot = desk.locator(".grid-foot")
    expect(foot).to_contain_text("€2,100.50")
    heading = desk.get_by_role("columnheader", name="Berth")
    heading.click()
    expect(heading).to_have_attribute("aria-sort", "ascending")
    expect(desk.locator(".grid-row .grid-name").first).to_have_text("Brigid")
    heading.click()
    expect(desk.locator(".grid-row .grid-name").first).to_have_text("Alba")
    assert ["-berth"] == query_of(desk)["sort"]

    desk.get_by_role("button", name="Filter").click()
    desk.get_by_role("button", name="Add filter").click()
    desk.get_by_label("Property 1").select_option("rig")
    desk.get_by_label("Comparison 1").select_option("eq")
    desk.get_by_label("Value 1").select_option("Sloop")
    expect(desk.get_by_text("2 records")).to_be_visible()
    expect(foot).to_contain_text("€1,200.00")
    desk.get_by_role("button", name="or: an alternative to filter 1").click()
    desk.get_by_label("Property 1.2").select_option("name")
    desk.get_by_label("Comparison 1.2").select_option("contains")
    desk.get_by_label("Value 1.2").fill("brig")
    expect(desk.get_by_text("3 records")).to_be_visible()
    desk.get_by_role("button", name="Remove filter 1.2").click()
    desk.keyboard.press("Escape")
    expect(desk.get_by_text("2 records")).to_be_visible()

    desk.reload()
    expect(desk.locator(".grid-row .grid-name")).to_have_text(["Alba", "Corrie"])
    desk.keyboard.press("/")
    type_into_opened(desk, "corr")
    expect(desk.locator(".grid-row .grid-name")).to_have_text(["Corrie"])
    desk.go_back()
    expect(desk.locator(".grid-row .grid-name")).to_have_text(["Alba", "Corrie"])


def test_cells_are_changed_by_keys_alone(desk: Page, boats: Boats) -> None:
    """Typing replaces, Enter goes down, Tab goes on, Esc keeps, Delete empties, Ctrl+Z takes back."""
    open_list(desk, boats, "?sort=name")
    grid = desk.get_by_role("grid")
    grid.focus()
    desk.keyboard.press("Home")
    desk.keyboard.press("ArrowRight")
    desk.keyboard.type("41")
    desk.keyboard.press("Enter")
    expect(cell(desk, "Alba", "Berth")).to_have_text("41")
    boats.wait_for("Alba", berth=41)
    expect(cell(desk, "Brigid", "Berth")).to_have_attribute("data-focus", "")
    desk.keyboard.type("42")
    desk.keyboard.press("Tab")
    boats.wait_for("Brigid", berth=42)
    expect(cell(desk, "Brigid", "Price")).to_have_attribute("data-focus", "")
    desk.keyboard.type("7 GBP")
    desk.keyboard.press("Escape")
    expect(cell(desk, "Brigid", "Price")).to_have_text("€900.50")
    desk.keyboard.press("F2")
    expect(desk.get_by_role("textbox", name="Price")).to_have_value("900.5 EUR")
    desk.keyboard.type("1,000.25 GBP")
    desk.keyboard.press("Enter")
    boats.wait_for("Brigid", price=1000.25, price_currency="GBP")
    expect(cell(desk, "Corrie", "Price")).to_have_attribute("data-focus", "")
    desk.keyboard.press("ArrowUp")
    desk.keyboard.press("ArrowRight")
    expect(cell(desk, "Brigid", "Rig")).to_have_attribute("data-focus", "")
    desk.keyboard.press("Enter")
    type_into_opened(desk, "schoo")
    expect(desk.get_by_role("option")).to_have_text(["Schooner"])
    desk.keyboard.press("Enter")
    boats.wait_for("Brigid", rig="Schooner")
    desk.keyboard.press("ArrowUp")
    desk.keyboard.press("Delete")
    boats.wait_for("Brigid", rig=None)
    expect(cell(desk, "Brigid", "Rig")).to_have_text("")
    desk.keyboard.press("Control+z")
    boats.wait_for("Brigid", rig="Schooner")
    desk.keyboard.press("Control+z")
    boats.wait_for("Brigid", rig="Ketch")
    expect(cell(desk, "Brigid", "Rig")).to_have_text("Ketch")

    assert [] == faults(desk)


def test_a_choice_is_shown_on_while_another_value_of_its_record_is_stored(desk: Page, boats: Boats) -> None:
    """The answer to the first change, and a list that has it, leave the second as it was chosen."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    desk.route("**/tools/record.update_many", hold)
    open_list(desk, boats, "?sort=name")
    cell(desk, "Brigid", "Berth").click()
    desk.keyboard.press("F2")
    type_into_opened(desk, "41")
    desk.keyboard.press("Tab")
    expect(cell(desk, "Brigid", "Price")).to_have_attribute("data-focus", "")
    desk.keyboard.press("ArrowRight")
    desk.keyboard.press("Enter")
    type_into_opened(desk, "schoo")
    expect(desk.get_by_role("option")).to_have_text(["Schooner"])
    desk.keyboard.press("Enter")
    expect(cell(desk, "Brigid", "Rig")).to_have_text("Schooner")
    with desk.expect_response("**/tools/record.list"), desk.expect_request("**/tools/record.update_many"):
        held[0].continue_()
    boats.call("record.create", {"objectType": boats.slug, "properties": {"name": "Zephyr"}})
    # A list that was asked after the first change is shown.
    expect(desk.locator(".grid-row", has_text="Zephyr")).to_be_visible()

    expect(cell(desk, "Brigid", "Rig")).to_have_text("Schooner")
    assert 2 == len(held)
    held[1].continue_()
    boats.wait_for("Brigid", berth=41, rig="Schooner")
    expect(cell(desk, "Brigid", "Rig")).to_have_text("Schooner")


def test_what_is_refused_goes_back_and_says_why_at_its_cell(desk: Page, boats: Boats) -> None:
    """What the page can tell stands at the field, which stays open; what the service tells, at the cell."""
    open_list(desk, boats, "?sort=name")
    cell(desk, "Corrie", "Berth").click()
    desk.keyboard.type("many")
    desk.keyboard.press("Enter")
    expect(desk.get_by_role("alert")).to_have_text("This is no number.")
    expect(desk.get_by_role("textbox", name="Berth")).to_be_focused()
    desk.keyboard.press("Escape")
    cell(desk, "Corrie", "Mail").click(position={"x": 190, "y": 20})
    desk.keyboard.type("nobody")
    desk.keyboard.press("Enter")
    refused = cell(desk, "Corrie", "Mail")
    expect(refused).to_have_attribute("aria-invalid", "true")
    expect(refused).to_contain_text("corrie@example.com")
    expect(refused.get_by_role("img")).to_have_accessible_name(
        "Not saved: must be an e-mail address such as ada@example.com"
    )

    assert "corrie@example.com" == boats.stored()["Corrie"]["mail"]


def test_a_block_is_copied_and_pasted_as_a_spreadsheet_has_it(desk: Page, boats: Boats) -> None:
    """Shift marks a block; a text of another program is read by the columns."""
    desk.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_list(desk, boats, "?sort=name")
    desk.get_by_role("grid").focus()
    desk.keyboard.press("ArrowRight")
    desk.keyboard.press("Shift+ArrowRight")
    desk.keyboard.press("Shift+ArrowDown")
    desk.keyboard.press("Control+c")
    assert "3\t1,200 EUR\n1\t900.5 EUR" == desk.evaluate("navigator.clipboard.readText()")

    desk.evaluate("navigator.clipboard.writeText('10\\t20 GBP\\tketch\\n11\\t\\tSchooner\\n12\\tx\\tSloop')")
    desk.keyboard.press("Escape")
    desk.keyboard.press("Control+Home")
    desk.keyboard.press("ArrowRight")
    desk.keyboard.press("Control+v")
    boats.wait_for("Alba", berth=10, price=20, price_currency="GBP", rig="Ketch")
    boats.wait_for("Brigid", berth=11, price=None, rig="Schooner")
    boats.wait_for("Corrie", berth=12, rig="Sloop")
    expect(desk.get_by_text("1 cell was not pasted. This is no amount")).to_be_visible()
    desk.get_by_role("grid").focus()
    desk.keyboard.press("Control+z")
    boats.wait_for("Alba", berth=3, price=1200, price_currency="EUR", rig="Sloop")
    boats.wait_for("Brigid", berth=1, price=900.5, rig="Ketch")


def test_two_people_in_one_record_lose_nothing(desk: Page, colleague: Page, boats: Boats) -> None:
    """What one changes the other sees; of one value that both change, it is asked whose counts."""
    open_list(desk, boats, "?sort=name")
    open_list(colleague, boats, "?sort=name")
    cell(desk, "Alba", "Berth").dblclick()
    cell(colleague, "Alba", "Rig").click(position={"x": 120, "y": 20})
    colleague.keyboard.type("ketch")
    colleague.keyboard.press("Enter")
    boats.wait_for("Alba", rig="Ketch")
    expect(cell(desk, "Alba", "Rig")).to_have_text("Ketch")
    desk.keyboard.type("77")
    desk.keyboard.press("Enter")
    boats.wait_for("Alba", berth=77, rig="Ketch")
    expect(cell(colleague, "Alba", "Berth")).to_have_text("77")

    cell(desk, "Alba", "Berth").dblclick()
    expect(desk.get_by_role("textbox", name="Berth")).to_have_value("77")
    cell(colleague, "Alba", "Berth").click()
    colleague.keyboard.type("5")
    colleague.keyboard.press("Enter")
    boats.wait_for("Alba", berth=5)
    desk.keyboard.type("6")
    desk.keyboard.press("Enter")
    dialog = desk.get_by_role("dialog", name="Somebody else has changed this meanwhile")
    expect(dialog).to_contain_text("Alba, Berth: theirs is “5”, yours is “6”.")
    dialog.get_by_role("button", name="Take theirs").click()
    expect(cell(desk, "Alba", "Berth")).to_have_text("5")
    assert 5 == boats.stored()["Alba"]["berth"]

    cell(desk, "Alba", "Berth").dblclick()
    cell(colleague, "Alba", "Berth").click()
    colleague.keyboard.type("8")
    colleague.keyboard.press("Enter")
    boats.wait_for("Alba", berth=8)
    desk.keyboard.type("9")
    desk.keyboard.press("Enter")
    desk.get_by_role("button", name="Keep mine").click()
    boats.wait_for("Alba", berth=9)
    expect(cell(colleague, "Alba", "Berth")).to_have_text("9")


def test_a_total_of_several_currencies_is_told_whole(desk: Page, boats: Boats) -> None:
    """Of three, behind a button that says how many they are; of two, one below the other."""
    open_list(desk, boats)
    added = [("GBP", 1_234_567), ("USD", 89)]
    for currency, price in added:
        values = {"name": currency, "price": price, "price_currency": currency}
        boats.call("record.create", {"objectType": boats.slug, "properties": values})
    button = desk.locator(".grid-foot").get_by_role("button", name="3 currencies")
    button.click()
    sums = desk.get_by_role("list", name="Total of Price").get_by_role("listitem")
    expect(sums).to_have_text(["€2,100.50", "£1,234,567.00", re.compile(r"\$89\.00$")])
    assert [] == faults(desk)
    desk.keyboard.press("Escape")
    expect(sums.first).to_be_hidden()
    expect(button).to_be_focused()

    desk.goto(
        boats.path + "?filter=" + quote(json.dumps([{"property": "name", "op": "neq", "value": "USD"}]))
    )
    two = desk.locator(".grid-foot span", has_text=re.compile("[€£]"))
    expect(two).to_have_text(["€2,100.50", "£1,234,567.00"])
    expect(two.last).to_have_attribute("title", "£1,234,567.00")


def test_a_view_is_saved_changed_shared_and_deleted(desk: Page, boats: Boats) -> None:
    """It has filters, order and columns; what is changed of it says so until it is saved or discarded."""
    open_list(desk, boats, "?sort=-berth&columns=name,berth")
    desk.get_by_role("button", name="Save as a view").click()
    desk.get_by_label("Name", exact=True).fill("By berth")
    desk.keyboard.press("Enter")
    tab = desk.get_by_role("navigation", name="Views").get_by_role("link", name="By berth")
    expect(tab).to_have_attribute("aria-current", "true")
    assert {"saved"} == query_of(desk).keys()
    assert ["Name", "Berth"] == desk.locator(".grid-label").all_inner_texts()
    assert ["Alba", "Corrie", "Brigid"] == names(desk)

    desk.get_by_role("columnheader", name="Name").click()
    expect(desk.get_by_role("img", name="Changed, and not saved")).to_be_visible()
    desk.get_by_role("button", name="Discard changes").click()
    expect(desk.get_by_role("img", name="Changed, and not saved")).to_have_count(0)
    desk.get_by_role("columnheader", name="Name").click()
    desk.get_by_role("button", name="Save changes").click()
    expect(desk.get_by_text("By berth was saved.")).to_be_visible()
    expect(desk.locator(".grid-row .grid-name")).to_have_text(["Alba", "Brigid", "Corrie"])

    more = desk.get_by_role("button", name="View By berth")
    more.click()
    desk.get_by_role("menuitem", name="Rename").click()
    desk.get_by_label("Name", exact=True).fill("By name")
    desk.keyboard.press("Enter")
    tab = desk.get_by_role("navigation", name="Views").get_by_role("link", name="By name")
    expect(tab).to_be_visible()
    desk.get_by_role("button", name="View By name").click()
    desk.get_by_role("menuitem", name="Share with everybody").click()
    expect(tab.get_by_role("img", name="Shared")).to_be_visible()
    desk.get_by_role("button", name="View By name").click()
    desk.get_by_role("menuitem", name="Delete view").click()
    expect(tab).to_have_count(0)
    desk.get_by_role("button", name="Undo").last.click()
    expect(tab).to_be_visible()
    expect(tab.get_by_role("img", name="Shared")).to_be_visible()


def test_a_view_keeps_that_it_is_a_board_and_of_what(desk: Page, boats: Boats) -> None:
    """It is one wherever it is opened; a table says that it is changed, and other views are as they were."""
    open_list(desk, boats)
    views = desk.get_by_role("navigation", name="Views")
    arrangement = desk.get_by_role("group", name="Arrangement")
    arrangement.get_by_role("button", name="Board").click()
    desk.get_by_role("button", name="Save as a view").click()
    desk.get_by_label("Name", exact=True).fill("Rigs")
    desk.keyboard.press("Enter")
    tab = views.get_by_role("link", name="Rigs")
    expect(tab).to_have_attribute("aria-current", "true")
    sloops = desk.get_by_role("region", name="Sloop")
    expect(sloops.get_by_role("listitem")).to_have_count(2)
    assert {"saved"} == query_of(desk).keys()

    views.get_by_role("link", name="All").click()
    expect(desk.locator(".grid-label").first).to_be_visible()
    tab.click()
    expect(sloops).to_be_visible()
    arrangement.get_by_role("button", name="Table").click()
    expect(desk.locator(".grid-label").first).to_be_visible()
    expect(desk.get_by_role("img", name="Changed, and not saved")).to_be_visible()
    arrangement.get_by_role("button", name="Board").click()
    expect(desk.get_by_role("img", name="Changed, and not saved")).to_have_count(0)
    arrangement.get_by_role("button", name="Table").click()
    desk.get_by_role("button", name="Save changes").click()
    expect(desk.get_by_text("Rigs was saved.")).to_be_visible()
    expect(desk.locator(".grid-label").first).to_be_visible()
    desk.keyboard.press("z")
    expect(sloops).to_be_visible()


def test_columns_are_chosen_moved_and_widened_by_keys(desk: Page, boats: Boats) -> None:
    """From the head of the grid, which is above its first row; a width stays in the browser."""
    open_list(desk, boats)
    labels = desk.locator(".grid-label")
    expect(labels).to_have_text(["Name", "Berth", "Price", "Rig", "Mail"])
    desk.get_by_role("button", name="Columns").click()
    desk.get_by_role("checkbox", name="Price").uncheck()
    desk.keyboard.press("Escape")
    expect(labels).to_have_text(["Name", "Berth", "Rig", "Mail"])
    desk.get_by_role("grid").focus()
    desk.keyboard.press("ArrowRight")
    desk.keyboard.press("ArrowUp")
    desk.keyboard.press("Alt+ArrowRight")
    expect(labels).to_have_text(["Name", "Rig", "Berth", "Mail"])
    heading = desk.get_by_role("columnheader", name="Rig")
    before = heading.bounding_box()
    desk.keyboard.press("Alt+Shift+ArrowRight")
    desk.reload()
    expect(labels).to_have_text(["Name", "Rig", "Berth", "Mail"])
    after = heading.bounding_box()

    assert before
    assert after
    assert before["width"] + 16 == after["width"]


def test_many_are_changed_and_deleted_at_once_and_come_back(desk: Page, boats: Boats) -> None:
    """More than a call takes go in pieces; Undo brings all of them back."""
    many = [{"name": f"Dinghy {number:03}", "berth": number} for number in range(130)]
    for start in (0, 100):
        batch = [{"properties": values} for values in many[start : start + 100]]
        boats.call("record.create_many", {"objectType": boats.slug, "records": batch})
    open_list(desk, boats, "?q=dinghy")
    expect(desk.get_by_text("130 records")).to_be_visible()
    desk.get_by_role("checkbox", name="Select the 50 that are loaded").check()
    desk.get_by_role("button", name="Select all 130").click()
    bar = desk.get_by_role("toolbar", name="130 selected")
    bar.get_by_role("button", name="Change a property").click()
    desk.get_by_label("Property", exact=True).select_option("rig")
    desk.get_by_label("Rig", exact=True).select_option("Ketch")
    desk.get_by_role("button", name="Change 130 records").click()
    expect(desk.get_by_text("130 records were changed.")).to_be_visible()
    ketches = {"objectType": boats.slug, "filters": [{"property": "rig", "op": "eq", "value": "Ketch"}]}
    assert 131 == boats.call("record.count", ketches)["count"]

    bar.get_by_role("button", name="Delete").click()
    expect(desk.get_by_text("130 records were deleted.")).to_be_visible()
    expect(desk.get_by_text("Nothing found for “dinghy”")).to_be_visible()
    assert 3 == boats.call("record.count", {"objectType": boats.slug})["count"]
    desk.get_by_role("button", name="Undo").last.click()
    expect(desk.get_by_text("130 records are back.")).to_be_visible()
    expect(desk.get_by_text("130 records", exact=True)).to_be_visible()


def test_cards_of_a_board_are_moved_by_keys_and_dragged(desk: Page, boats: Boats) -> None:
    """A column says how many and how much; a card that moves keeps the focus, and Undo takes it back."""
    desk.goto(f"{boats.path}?view=board&by=rig")
    sloops = desk.get_by_role("region", name="Sloop")
    ketches = desk.get_by_role("region", name="Ketch")
    expect(sloops.get_by_role("listitem")).to_have_count(2)
    expect(sloops).to_contain_text("€1,200.00")
    card = desk.get_by_role("link", name="Alba")
    card.focus()
    desk.keyboard.press("Alt+ArrowRight")
    expect(ketches.get_by_role("link", name="Alba")).to_be_focused()
    boats.wait_for("Alba", rig="Ketch")
    expect(ketches).to_contain_text("€2,100.50")
    desk.keyboard.press("z")
    boats.wait_for("Alba", rig="Sloop")
    expect(sloops.get_by_role("link", name="Alba")).to_be_visible()

    ketches.locator(".board-card", has_text="Brigid").drag_to(desk.get_by_role("region", name="Schooner"))
    expect(desk.get_by_role("region", name="Schooner").get_by_role("link", name="Brigid")).to_be_visible()
    boats.wait_for("Brigid", rig="Schooner")
    desk.get_by_role("button", name="New in Ketch").click()
    desk.get_by_label("Name", exact=True).fill("Dulse")
    desk.keyboard.press("Enter")
    expect(ketches.get_by_role("link", name="Dulse")).to_be_visible()

    assert [] == faults(desk)


def test_a_record_is_made_by_c_and_taken_back(desk: Page, boats: Boats, watch: Watch) -> None:
    """A fault stands at its field, whoever finds it."""
    watch.expected = ["422"]
    open_list(desk, boats)
    desk.keyboard.press("c")
    type_into_opened(desk, "Eider")
    desk.get_by_label("Berth").fill("many")
    desk.keyboard.press("Enter")
    expect(desk.get_by_label("Berth")).to_have_attribute("aria-invalid", "true")
    desk.get_by_label("Berth").fill("9")
    desk.get_by_label("Mail").fill("nobody")
    desk.keyboard.press("Enter")
    expect(desk.get_by_label("Mail")).to_have_attribute("aria-invalid", "true")
    desk.get_by_label("Mail").fill("eider@example.com")
    desk.keyboard.press("Enter")
    expect(cell(desk, "Eider", "Berth")).to_have_text("9")
    desk.get_by_role("button", name="Undo").click()

    expect(desk.locator(".grid-row", has_text="Eider")).to_have_count(0)


def test_a_long_list_draws_only_what_the_window_shows(desk: Page, boats: Boats) -> None:
    """It loads on as one scrolls, and the focus goes to rows that were not drawn."""
    for start in range(0, 600, 100):
        batch = [{"properties": {"name": f"Punt {start + n:03}"}} for n in range(100)]
        boats.call("record.create_many", {"objectType": boats.slug, "records": batch})
    open_list(desk, boats, "?sort=name&q=punt")
    grid = desk.get_by_role("grid")
    expect(grid).to_have_attribute("aria-rowcount", "601")
    grid.focus()
    for _ in range(60):
        desk.keyboard.press("PageDown")
        if desk.locator(".grid-row[aria-rowindex='601']").count():
            break
        expect(desk.locator(".grid-row").first).to_be_visible()
    expect(desk.locator(".grid-row", has_text="Punt 599")).to_be_visible()
    assert desk.locator(".grid-row").count() < 60
    desk.keyboard.press("Control+Home")
    expect(desk.locator(".grid-row", has_text="Punt 000")).to_be_visible()


_NOTE_ADDED: Final = """() => {
    window.added = 0;
    const note = (changes) => { for (const one of changes) window.added += one.addedNodes.length; };
    const rows = document.querySelector(".grid-rows");
    new MutationObserver(note).observe(rows, { childList: true, subtree: true });
}"""
_SCROLL: Final = """(top) => { document.querySelector(".grid").scrollTop = top; }"""
_OWNED: Final = """() => document.querySelector(".grid-rows").getAttribute("aria-owns").split(" ")
    .map((id) => Number(document.getElementById(id).getAttribute("aria-rowindex")))"""
_INSIDE: Final = "document.querySelectorAll('.grid-row').length"


def test_rows_that_come_take_the_elements_of_those_that_go(desk: Page, boats: Boats) -> None:
    """Scrolling makes no elements; to a screen reader the rows stand in their order all the same."""
    for start in range(0, 200, 100):
        batch = [
            {"properties": {"name": f"Punt {start + n:03}", "berth": n, "rig": "Ketch"}} for n in range(100)
        ]
        boats.call("record.create_many", {"objectType": boats.slug, "records": batch})
    open_list(desk, boats, "?sort=name&q=punt")
    expect(desk.get_by_role("grid")).to_have_attribute("aria-rowcount", "201")
    desk.evaluate(_SCROLL, 1_000)
    expect(desk.get_by_role("row").filter(has_text="Punt 040")).to_be_visible()
    expect(desk.locator(".grid-rows")).to_have_css("height", "8000px")  # All of them are loaded.
    many = desk.evaluate(_INSIDE)
    desk.evaluate(_NOTE_ADDED)
    for top in (1_400, 1_560, 3_000, 4_040):
        desk.evaluate(_SCROLL, top)
        expect(desk.locator(f".grid-row[aria-rowindex='{top // 40 + 2}']")).to_be_visible()

    owned = desk.evaluate(_OWNED)
    assert 0 == desk.evaluate("window.added")
    assert many == desk.evaluate(_INSIDE)
    assert list(range(owned[0], owned[0] + many)) == owned


def test_a_cell_that_is_edited_is_kept_while_the_grid_is_scrolled(desk: Page, boats: Boats) -> None:
    """What is typed, and the focus, also where its row is far away and others come and go."""
    batch = [{"properties": {"name": f"Punt {n:03}", "berth": n}} for n in range(100)]
    boats.call("record.create_many", {"objectType": boats.slug, "records": batch})
    open_list(desk, boats, "?sort=name&q=punt")
    expect(desk.get_by_role("grid")).to_have_attribute("aria-rowcount", "101")
    cell(desk, "Punt 003", "Berth").click()
    desk.keyboard.press("F2")
    type_into_opened(desk, "77")
    for top in (1_200, 1_640, 2_400, 40):
        desk.evaluate(_SCROLL, top)
        expect(desk.locator(".grid-rows")).to_have_css("height", "4000px")  # All of them are loaded.
        expect(desk.locator(f".grid-row[aria-rowindex='{top // 40 + 4}']")).to_be_visible()
    expect(desk.get_by_role("textbox", name="Berth")).to_be_focused()
    desk.keyboard.type("7")
    desk.keyboard.press("Enter")

    boats.wait_for("Punt 003", berth=777)
    expect(cell(desk, "Punt 003", "Berth")).to_have_text("777")


def test_the_first_column_stays_while_the_grid_is_scrolled_sideways(desk: Page, boats: Boats) -> None:
    """Names beside what is read of them, in both directions of writing."""
    for number in range(4):
        property_ = {"slug": f"note_{number}", "label": f"Note {number}", "type": "long_text"}
        boats.call("property.create", {"objectType": boats.slug, **property_})
    open_list(desk, boats, "?columns=name,berth,price,rig,mail,note_0,note_1,note_2,note_3")
    name = desk.locator(".grid-row .grid-name").first
    for direction, way in (("ltr", 1), ("rtl", -1)):
        desk.evaluate("(dir) => { document.documentElement.dir = dir; }", direction)
        desk.evaluate("document.querySelector('.grid').scrollTo(0, 0)")
        expect(desk.locator(".grid[data-sideways]")).to_have_count(0)
        before = name.bounding_box()
        desk.evaluate("(left) => { document.querySelector('.grid').scrollTo(left, 0); }", 300 * way)
        expect(desk.locator(".grid[data-sideways]")).to_have_count(1)
        assert before == name.bounding_box()


def test_a_phone_has_cards(phone: Page, service: Service) -> None:
    """Each leads to its record; nothing is wider than the window."""
    phone.goto("/app/records/deal")
    card = phone.get_by_role("listitem").filter(has_text="Lighting for the library")
    expect(card.get_by_role("link")).to_have_attribute("href", "/app/records/deal/" + _deal(service))
    phone.get_by_label("Order").select_option("-amount")
    expect(phone.get_by_role("list", name="Deals").get_by_role("listitem").first).to_contain_text(
        "£12,400.00"
    )
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390

    assert [] == faults(phone)


def _deal(service: Service) -> str:
    [[found]] = service.rows("SELECT id FROM records WHERE properties LIKE '%Lighting for the library%'")
    return str(found)


def test_an_object_without_records_says_how_they_come(desk: Page, service: Service) -> None:
    """An import, and a first one by hand."""
    empty = Boats(service, desk)
    empty.build([])
    desk.goto(empty.path)
    expect(desk.get_by_role("heading", name="No Boats yet")).to_be_visible()
    expect(desk.get_by_role("link", name="Import a file")).to_have_attribute(
        "href", f"/app/settings/objects/{empty.slug}/import"
    )
    desk.goto(f"{empty.path}?q=nothing")
    expect(desk.get_by_text("Nothing found for “nothing”")).to_be_visible()


def test_a_list_is_exported_as_it_is_shown(desk: Page, boats: Boats) -> None:
    """Its filters, its order and its columns; the file is handed over once the job is done."""
    open_list(desk, boats, "?sort=-berth&columns=name,berth&q=corrie")
    desk.get_by_role("button", name="More actions").click()
    with desk.expect_download() as download:
        desk.get_by_role("menuitem", name="Export as CSV").click()
    head, *rows = Path(download.value.path()).read_text().splitlines()
    assert "Boats.csv" == download.value.suggested_filename
    assert ["id", "name", "berth"] == head.split(",")[:3]
    assert [["Corrie", "2"]] == [row.split(",")[1:3] for row in rows]
    expect(desk.get_by_text("1 record was exported.")).to_be_visible()
