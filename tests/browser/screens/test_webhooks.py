"""Settings › Developers › Webhooks: what is sent where, what came of it, and sending it again."""

import json
import re
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Page, expect

from svc.client import verify
from svc.tools.webhooks.payloads import EXAMPLES
from tests.browser.places import Receiver, Service, wait_for
from tests.browser.screens.conftest import Watch

PATH = "/app/settings/webhooks"


@pytest.fixture(scope="module")
def service(outward: Service) -> Service:
    """One that may post to programs of this machine."""
    return outward


def tool(page: Page, service: Service, name: str, body: Any) -> Any:
    """What the demo's key is answered."""
    headers = {"Authorization": f"Bearer {service.facts['apiKey']}"}
    answer = page.request.post(f"/api/v1/tools/{name}", data=body, headers=headers)
    assert 200 == answer.status, answer.text()
    return answer.json()


def a_contact(page: Page, service: Service, name: str) -> str:
    made = tool(page, service, "record.create", {"objectType": "contact", "properties": {"name": name}})
    return str(made["id"])


def subscribe(page: Page, name: str, url: str, *events: str) -> str:
    """Make a webhook at the screen; its secret, with its own screen open."""
    page.goto(f"{PATH}?new=1")
    page.get_by_label("URL").fill(url)
    page.get_by_label("Name").fill(name)
    for event in events:
        page.get_by_role("checkbox", name=re.compile(rf"^{re.escape(event)}")).check()
    page.get_by_role("button", name="Create webhook").click()
    secret = page.get_by_label("Signing secret").inner_text()
    page.get_by_role("button", name="I have copied it").click()
    expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()
    return secret


def test_a_webhook_is_made_and_its_deliveries_are_read(
    desk: Page, service: Service, receiver: Receiver
) -> None:
    """Examples stand beside the events; a delivery shows the request, the answer and each attempt."""
    desk.goto(f"{PATH}?new=1")
    desk.get_by_role("button", name="An example of submission.held").click()
    example = json.loads(desk.get_by_role("group", name="An example of submission.held").inner_text())
    assert msgspec.to_builtins(EXAMPLES["submission.held"]) == example
    secret = subscribe(desk, "Pier orders", receiver.url, "record.created", "record.updated")
    expect(desk.get_by_role("heading", name="Nothing was sent yet")).to_be_visible()

    record = a_contact(desk, service, "Ada <b>Pier</b>")
    row = desk.get_by_role("row").filter(has_text="record.created")
    expect(row).to_contain_text("Delivered")
    expect(row).to_contain_text("200")
    row.get_by_role("link").click()
    panel = desk.locator(".panel")
    expect(panel).to_contain_text(record)
    expect(panel).to_contain_text("thanks")
    shown = json.loads(panel.get_by_role("group", name="Body").inner_text())

    [(headers, body)] = receiver.got
    assert headers["X-Service-Delivery"] == verify(secret, headers, body)
    assert json.loads(body) == shown
    panel.get_by_text("Headers").click()
    expect(panel).to_contain_text(headers["webhook-id"])
    panel.get_by_role("button", name="Send again").click()
    assert body == wait_for(lambda: receiver.got, lambda got: len(got) == 2)[1][1]
    expect(panel.get_by_role("heading", name="2 attempts")).to_be_visible()
    panel.get_by_role("button", name="Send as a test").click()
    expect(panel.get_by_role("heading", name="1 attempt")).to_be_visible()
    tested = json.loads(wait_for(lambda: receiver.got, lambda got: len(got) == 3)[2][1])
    assert (shown["data"], True) == (tested["data"], shown["id"] != tested["id"])


def test_a_test_is_sent_and_opened(desk: Page, receiver: Receiver) -> None:
    """A ping, or an example of any event; what was answered is told, and the state says that it fails."""
    receiver.status, receiver.body = 503, "<i>closed for lunch</i>"
    subscribe(desk, "Pier tests", receiver.url, "record.created")
    desk.get_by_role("button", name="Send test").click()
    dialog = desk.get_by_role("dialog", name="Send test")
    dialog.get_by_label("What to send").select_option("submission.filed")
    expect(dialog.get_by_role("group")).to_contain_text('"submissionId"')
    dialog.get_by_role("button", name="Send test").click()

    panel = desk.locator(".panel")
    expect(panel.get_by_role("heading", name="submission.filed")).to_be_visible()
    expect(panel.get_by_text("503 after").first).to_be_visible()
    expect(panel.get_by_text("<i>closed for lunch</i>").first).to_be_visible()
    expect(desk.locator(".page-actions .badge")).to_have_text("Failing")
    expect(desk.get_by_text("Every attempt since")).to_be_visible()


def test_what_was_missed_is_sent_by_time(desk: Page, service: Service, receiver: Receiver) -> None:
    """While it is paused nothing goes out; a range of time brings it, once."""
    subscribe(desk, "Pier replay", receiver.url, "record.created")
    desk.get_by_role("button", name="Pause").click()
    desk.get_by_role("dialog").get_by_role("button", name="Pause").click()
    expect(desk.get_by_text("Nothing is sent while it is paused.")).to_be_visible()
    expect(desk.get_by_role("button", name="Send test")).to_be_disabled()
    record = a_contact(desk, service, "Missed Pier")
    dispatched = "SELECT count(*) FROM events WHERE subject = ? AND position IS NOT NULL"
    wait_for(lambda: service.rows(dispatched, record), lambda found: found == [(1,)])
    desk.get_by_role("button", name="Resume").click()
    expect(desk.locator(".page-actions .badge")).to_have_text("Active")
    assert [] == receiver.got

    desk.get_by_role("button", name="More for this webhook").click()
    desk.get_by_role("menuitem", name="Send again …").click()
    dialog = desk.get_by_role("dialog", name="Send again what happened")
    dialog.get_by_role("button", name="Send again").click()
    expect(dialog.get_by_text("There was nothing of that in this time.")).to_be_visible()
    dialog.get_by_role("radio", name="What was missed").check()
    dialog.get_by_role("button", name="Send again").click()
    expect(desk.get_by_text(re.compile(r"^\d+ deliver(y is|ies are) on (its|their) way$"))).to_be_visible()
    got = wait_for(lambda: receiver.got, lambda got: any(record.encode() in body for _, body in got))
    assert 1 == sum(record.encode() in body for _, body in got)


def test_settings_are_changed_and_the_secret_replaced(desk: Page, receiver: Receiver, watch: Watch) -> None:
    """Events, objects and pace; both secrets sign for 24 hours; it is deleted by its name."""
    first = subscribe(desk, "Pier settings", receiver.url, "record.created")
    desk.keyboard.press("e")
    desk.get_by_role("checkbox", name="Companies").check()
    desk.get_by_role("checkbox", name=re.compile("^message.received")).check()
    desk.get_by_label("At most a second").fill("7")
    desk.get_by_role("button", name="Save").click()
    expect(desk.get_by_text("Saved")).to_be_visible()
    desk.reload()
    expect(desk.get_by_role("checkbox", name="Companies")).to_be_checked()
    expect(desk.get_by_role("checkbox", name="Contacts")).not_to_be_checked()
    expect(desk.get_by_label("At most a second")).to_have_value("7")

    desk.get_by_role("button", name="New signing secret").click()
    desk.get_by_role("dialog").get_by_role("button", name="New signing secret").click()
    second = desk.get_by_role("dialog").get_by_label("Signing secret").inner_text()
    expect(desk.get_by_role("dialog")).to_contain_text("24 hours from now")
    desk.get_by_role("button", name="I have copied it").click()
    desk.get_by_role("button", name="Send test").click()
    desk.get_by_role("dialog").get_by_role("button", name="Send test").click()
    [(headers, body)] = wait_for(lambda: receiver.got, lambda got: len(got) == 1)
    assert verify(first, headers, body) == verify(second, headers, body)

    desk.get_by_role("button", name="More for this webhook").click()
    desk.get_by_role("menuitem", name="Delete webhook").click()
    watch.expected = ["404"]  # of a question that was under way while it was deleted
    desk.get_by_role("dialog").get_by_role("textbox").fill("Pier settings")
    desk.keyboard.press("Enter")
    expect(desk.get_by_text("“Pier settings” is deleted")).to_be_visible()
    expect(desk.get_by_role("row").filter(has_text="Pier settings")).to_have_count(0)


def test_a_webhook_that_was_disabled_is_on_home(desk: Page, receiver: Receiver) -> None:
    """A receiver that is gone disables it; Home says so, and leads there."""
    receiver.status = 410
    subscribe(desk, "Pier gone", receiver.url, "record.created")
    here = desk.url
    desk.get_by_role("button", name="Send test").click()
    desk.get_by_role("dialog").get_by_role("button", name="Send test").click()
    expect(desk.locator(".page-actions .badge")).to_have_text("Disabled")
    expect(desk.get_by_text("The address answered 410, so it was disabled.")).to_be_visible()
    desk.goto("/app/")
    card = desk.locator("#waiting-webhooks_failing")
    expect(card).to_contain_text("Webhook failing")
    card.click()
    expect(desk).to_have_url(here)
    desk.get_by_role("button", name="Resume").click()
    expect(desk.locator(".page-actions .badge")).to_have_text("Active")


def test_a_private_address_is_refused_at_its_field_on_a_phone(phone: Page, watch: Watch) -> None:
    """What was typed and ticked stays; so does the fault of no event."""
    watch.expected = ["422"]
    phone.goto(PATH)
    phone.get_by_role("button", name="New webhook").first.tap()
    phone.get_by_label("URL").fill("http://10.0.0.7/events")
    phone.get_by_role("button", name="Create webhook").tap()
    expect(phone.get_by_label("URL")).to_have_attribute("aria-invalid", "true")
    expect(phone.get_by_text("must not be empty: name the types of events to send")).to_be_visible()
    expect(phone.get_by_label("URL")).to_have_value("http://10.0.0.7/events")
