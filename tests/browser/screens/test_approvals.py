"""Approvals: what an agent and a workflow ask for, decided by a click and by keys."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.places import Service, wait_for
from tests.browser.screens.asking import Asking, asking_agent
from tests.browser.screens.conftest import Watch


@pytest.fixture(scope="module")
def asking(service: Service) -> Iterator[Asking]:
    """An agent that calls what it is told to, on a messenger of the demo."""
    with asking_agent(service, ["record.delete", "organization.update"]) as asking:
        yield asking


def _contact(asking: Asking, name: str) -> str:
    made = asking.tool("record.create", objectType="contact", properties={"name": name, "city": "Whitby"})
    return str(made["id"])


def _card(asking: Asking, tool: str, body: dict[str, Any], chat: str, said: str) -> str:
    """The card of an agent that a stranger has made to ask for it."""
    wire = tool.replace(".", "_")
    known = asking.waiting_ids()
    asking.say(chat, f"{said}\ncall: {wire} {json.dumps(body)}")
    return wait_for(lambda: next(iter(asking.waiting_ids() - known), ""), bool)


def test_a_card_is_read_with_names_and_approved_by_keys(
    desk: Page, service: Service, asking: Asking, watch: Watch
) -> None:
    """The link leads to the card: whom it is about, who asks and what was said; `A`, Enter does it once."""
    watch.expected = ["404"]  # the name of what is gone is asked for once more
    record = _contact(asking, "Tamsin Reef")
    card = _card(asking, "record.delete", {"id": record}, "approve-1", "Please delete me")
    desk.goto(f"/app/approvals?open={card}")
    panel = desk.locator(".panel")
    expect(panel.get_by_role("heading", name="Delete Tamsin Reef")).to_be_visible()
    expect(panel.get_by_role("group", name="What would be gone")).to_contain_text("Whitby")
    expect(panel.get_by_role("list", name="What led to it")).to_contain_text("Please delete me")
    expect(panel.get_by_text(f"The agent of {asking.connection_name}.")).to_be_visible()
    expect(panel).not_to_contain_text(f"Which{record}")
    desk.keyboard.press("a")
    expect(desk.get_by_role("dialog", name="Approve this?")).to_contain_text("Delete Tamsin Reef")
    desk.keyboard.press("Enter")
    expect(desk.get_by_text("Approved. It is done.")).to_be_visible()
    assert [("approved",)] == service.rows("SELECT state FROM approvals WHERE id = ?", card)
    assert "not_found" == asking.refusal("record.get", id=record)


def test_a_change_shows_what_is_and_what_would_be_and_is_rejected(
    desk: Page, service: Service, asking: Asking
) -> None:
    """Of settings, each with its value now; `R` asks for a reason, which stands in the history."""
    card = _card(asking, "organization.update", {"timeZone": "Asia/Tokyo"}, "reject-1", "Move to Tokyo")
    desk.goto("/app/approvals")
    count = desk.get_by_role("navigation", name="Main").get_by_role("link", name="Approvals")
    expect(count).to_contain_text(str(asking.waiting()))
    desk.get_by_role("link", name="Change the organization’s settings").first.click()
    change = desk.get_by_role("table", name="What changes").get_by_role("row").filter(has_text="Time zone")
    expect(change).to_contain_text("Europe/London")
    expect(change).to_contain_text("Asia/Tokyo")
    desk.keyboard.press("r")
    desk.get_by_label("Reason").fill("We stay where we are")
    desk.keyboard.press("Enter")
    expect(desk.get_by_text("Rejected. Nothing was done.")).to_be_visible()

    desk.goto(f"/app/approvals?ended=true&state=rejected&open={card}")
    panel = desk.locator(".panel")
    expect(panel.get_by_text("You rejected it")).to_be_visible()
    expect(panel.get_by_text("We stay where we are")).to_be_visible()
    expect(panel.get_by_role("button", name="Approve")).to_have_count(0)
    assert [("Europe/London",)] == service.rows("SELECT DISTINCT time_zone FROM organizations LIMIT 1")


def test_one_that_the_tool_refuses_says_so(
    desk: Page, asking: Asking, service: Service, watch: Watch
) -> None:
    """What it was about is gone meanwhile: nothing is done, the card has failed, and says why."""
    watch.expected = ["404"]
    record = _contact(asking, "Gone Already")
    card = _card(asking, "record.delete", {"id": record}, "refuse-1", "Delete me, too")
    asking.tool("record.delete", id=record)
    desk.goto(f"/app/approvals?open={card}")
    with desk.expect_response("**/approval.approve") as answered:
        desk.locator(".panel").get_by_role("button", name="Approve").click()
    assert 404 == answered.value.status
    desk.goto(f"/app/approvals?ended=true&open={card}")
    expect(desk.locator(".panel").get_by_text("Why the tool refused")).to_be_visible()
    assert [("failed",)] == service.rows("SELECT state FROM approvals WHERE id = ?", card)


def test_a_workflow_asks_on_a_phone(phone: Page, asking: Asking) -> None:
    """Home counts what waits and leads there; its card has the reason as its title, and goes on by a tap."""
    phone.goto("/app/")
    phone.locator("#waiting-approvals").tap()
    phone.get_by_role("link", name="Post the printed catalogue").first.tap()
    panel = phone.locator(".panel")
    expect(panel.get_by_text("The workflow Catalogue by post.")).to_be_visible()
    before = asking.waiting()
    panel.get_by_role("button", name="Approve").tap()
    expect(phone.get_by_text("Approved. The workflow goes on.")).to_be_visible()
    assert before - 1 == asking.waiting()


def test_a_card_that_there_is_not(desk: Page, watch: Watch) -> None:
    """An old link says that cards are kept for 30 days, and the list is there."""
    watch.expected = ["404"]
    desk.goto("/app/approvals?open=apr_01K5D3V7Q2M8Z4X6C9B1N0T5RA")
    expect(desk.get_by_text("There is no such card any more.")).to_be_visible()
    expect(desk.get_by_role("table", name="Approvals")).to_be_visible()
