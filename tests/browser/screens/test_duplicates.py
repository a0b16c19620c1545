"""Records that may be the same: compared group by group, merged, and told apart."""

import re
from typing import Any

from playwright.sync_api import Page, Route, expect

from tests.browser.places import Service
from tests.browser.screens.conftest import Watch
from tests.browser.screens.test_every_screen import faults
from tests.browser.screens.test_record_page import a_record, change, open_record, tool, values_of


def _places(page: Page, service: Service, kind: str, *pairs: tuple[str, str, str]) -> list[tuple[str, str]]:
    """Two records for each name, of a new object *kind*, with a town each."""
    tool(page, service, "object.create", slug=kind, label=kind.title(), labelPlural=f"{kind.title()}s")
    town = {"slug": "town", "label": "Town", "type": "text"}
    tool(page, service, "property.create", objectType=kind, **town)
    return [
        (
            a_record(page, service, kind, name=name, town=one),
            a_record(page, service, kind, name=name, town=other),
        )
        for name, one, other in pairs
    ]


def test_groups_are_merged_and_told_apart_by_keys(desk: Page, service: Service) -> None:
    """`J` goes on, `D` tells apart, with Undo; `M` merges with the chosen value, and shows the next."""
    wharf, quay = _places(
        desk, service, "harbour", ("Old Wharf", "Leith", "Whitby"), ("Long Quay", "Hull", "Grimsby")
    )
    desk.goto("/app/records/harbour/duplicates")
    heading = desk.get_by_role("heading", name="Same name")
    expect(heading).to_be_visible()
    expect(desk.get_by_text("Group 1 of 2")).to_be_visible()
    first = desk.locator("thead a").first.inner_text()
    desk.keyboard.press("j")
    expect(desk.get_by_text("Group 2 of 2")).to_be_visible()
    expect(desk.locator("thead a").first).not_to_have_text(first)
    assert [] == faults(desk)
    desk.keyboard.press("d")
    expect(desk.get_by_text("Group 1 of 1")).to_be_visible()
    expect(desk.locator("thead a").first).to_have_text(first)
    desk.keyboard.press("z")
    expect(desk.get_by_text("of 2")).to_be_visible()
    merged, towns = (wharf, ["Leith", "Whitby"]) if first == "Old Wharf" else (quay, ["Hull", "Grimsby"])
    desk.goto("/app/records/harbour/duplicates")
    radio = desk.get_by_role("radio", name=towns[1])
    expect(radio).not_to_be_checked()
    radio.focus()
    desk.keyboard.press("Space")
    desk.keyboard.press("m")
    dialog = desk.get_by_role("dialog", name=f"Merge “{first}” into “{first}”?")
    expect(dialog).to_contain_text("This cannot be undone.")
    desk.keyboard.press("Enter")
    expect(desk.get_by_text("Group 1 of 1")).to_be_visible()

    stays, goes = merged
    assert {"name": first, "town": towns[1]} == values_of(desk, service, stays)
    assert stays == tool(desk, service, "record.get", id=goes)["id"]
    desk.keyboard.press("d")
    expect(desk.get_by_text("No duplicates")).to_be_visible()


def test_one_of_several_is_left_out(desk: Page, service: Service) -> None:
    """The others become one; what only one of them has is taken over."""
    [(one, other)] = _places(desk, service, "pier", ("West Pier", "Brighton", "Hove"))
    third = a_record(desk, service, "pier", name="west pier", town="Worthing")
    desk.goto("/app/records/pier/duplicates")
    columns = desk.get_by_role("columnheader")
    expect(columns).to_have_count(3)
    columns.filter(has=desk.get_by_role("link", name="west pier", exact=True)).get_by_label(
        "Leave out"
    ).check()
    desk.get_by_role("button", name="Merge").click()
    desk.get_by_role("dialog").get_by_role("button", name="Merge").click()
    expect(columns).to_have_count(2)

    found = tool(desk, service, "record.list", objectType="pier")["records"]
    assert {one, third} == {record["id"] for record in found}
    assert one == tool(desk, service, "record.get", id=other)["id"]


def test_several_become_one_with_one_answer(desk: Page, service: Service, watch: Watch) -> None:
    """What each gives is told before; where one is not merged, the next try goes on behind those that are."""
    watch.expected = ["Failed to load resource"]
    [(one, other)] = _places(desk, service, "jetty", ("Long Jetty", "Leith", "Whitby"))
    tool(desk, service, "property.create", objectType="jetty", slug="depth", label="Depth", type="number")
    third = a_record(desk, service, "jetty", name="long jetty", depth=7)
    desk.goto("/app/records/jetty/duplicates")
    desk.get_by_role("columnheader").filter(has_text="Long Jetty").first.get_by_label("Keep this one").check()
    desk.get_by_role("radio", name="Whitby").check()
    calls: list[str] = []

    def cut(route: Route) -> None:
        posted: dict[str, Any] = route.request.post_data_json or {}
        calls.append(posted["mergedId"])
        if len(calls) == 2:
            route.abort()
        else:
            route.continue_()

    desk.route("**/tools/record.merge", cut)
    desk.get_by_role("button", name="Merge").click()
    dialog = desk.get_by_role("dialog", name="Merge 2 records into “Long Jetty”?")
    merges = dialog.get_by_role("list", name="What each gives").get_by_role("listitem")
    expect(merges).to_have_text(["“Long Jetty” gives Town", "“long jetty” gives Depth"])
    dialog.get_by_role("button", name="Merge").click()
    expect(dialog.get_by_role("alert")).to_be_visible()
    expect(dialog.get_by_role("img", name="Merged")).to_have_count(1)
    dialog.get_by_role("button", name="Merge").click()
    expect(desk.get_by_text("2 records were merged into “Long Jetty”")).to_be_visible()

    assert [other, third, third] == calls
    assert {"name": "Long Jetty", "town": "Whitby", "depth": 7} == values_of(desk, service, one)
    assert [one] == [
        record["id"] for record in tool(desk, service, "record.list", objectType="jetty")["records"]
    ]


def test_a_record_is_merged_with_one_that_is_searched(desk: Page, service: Service) -> None:
    """From its page: the other is found, both are compared, and the page of the one that stays follows."""
    stays = a_record(desk, service, name="Theo Brandt", city="Ulm")
    goes = a_record(desk, service, name="Theodor Brandt", city="Bonn", email="theodor@example.com")
    open_record(desk, stays)
    desk.get_by_role("button", name="More", exact=True).click()
    desk.get_by_role("menuitem", name="Merge with another").click()
    desk.get_by_label("Other record").fill("Theodor")
    desk.get_by_role("option", name="Theodor Brandt").click()
    desk.get_by_role("button", name="Compare").click()
    expect(desk.get_by_role("radio", name="Keep this one").first).to_be_checked()
    desk.get_by_role("radio", name="Bonn").check()
    desk.get_by_role("button", name="Merge").click()
    desk.get_by_role("dialog").get_by_role("button", name="Merge").click()
    expect(desk.get_by_role("heading", name="Theo Brandt", level=1)).to_be_visible()
    expect(desk.get_by_label("Key facts").get_by_text("theodor@example.com")).to_be_visible()
    expect(desk).to_have_url(re.compile(f"/app/records/contact/{stays}$"))
    desk.goto(f"/app/records/contact/{goes}")

    expect(desk).to_have_url(re.compile(f"/app/records/contact/{stays}$"))
    kept = {"name": "Theo Brandt", "city": "Bonn", "email": "theodor@example.com"}
    assert kept == values_of(desk, service, stays)


def test_a_value_that_a_colleague_changed_is_not_lost_by_a_merge(
    desk: Page, service: Service, watch: Watch
) -> None:
    """The merge is refused in its dialog, and nothing is merged."""
    watch.expected = ["409"]
    [(stays, goes)] = _places(desk, service, "dock", ("East Dock", "Leith", "Whitby"))
    desk.goto("/app/records/dock/duplicates")
    desk.get_by_role("radio", name="Whitby").check()
    desk.get_by_role("button", name="Merge").click()
    dialog = desk.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Merge")).to_be_visible()
    change(desk, service, stays, town="Perth")
    dialog.get_by_role("button", name="Merge").click()

    expect(dialog.get_by_role("alert")).to_be_visible()
    assert "Perth" == values_of(desk, service, stays)["town"]
    assert goes == tool(desk, service, "record.get", id=goes)["id"]


def test_on_a_phone_records_stand_side_by_side(phone: Page, service: Service) -> None:
    """Two columns in 390 px, the name of each property above its values."""
    _places(phone, service, "slip", ("Low Slip", "Leith", "Whitby"))
    phone.goto("/app/records/slip/duplicates")
    expect(phone.get_by_role("radio", name="Whitby")).to_be_visible()

    assert [] == faults(phone)
    assert 390 >= phone.evaluate("document.documentElement.scrollWidth")
