"""Settings › AI › Agents: set, tried and watched."""

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.places import Service, wait_for
from tests.browser.screens.asking import Asking, asking_agent


@pytest.fixture(scope="module")
def asking(service: Service) -> Iterator[Asking]:
    with asking_agent(service, ["record.list"]) as asking:
        yield asking


def test_an_agent_is_set_and_says_what_a_stranger_could_do(desk: Page, asking: Asking) -> None:
    """Tools are found by words and ticked; what is saved is stored, and its reach is told in words."""
    desk.goto("/app/settings/agents")
    row = desk.get_by_role("row").filter(has_text=asking.connection_name)
    expect(row).to_contain_text("Answers")
    row.get_by_role("link").click()
    expect(desk.get_by_role("heading", name=asking.connection_name)).to_be_visible()
    desk.get_by_role("textbox", name="Instructions").fill("You answer for a lamp shop.")
    desk.get_by_label("Find a tool").fill("delete a record")
    choice = desk.locator(".tool-choice").filter(has_text="record.delete").first
    expect(choice).to_contain_text("Asks you first")
    choice.get_by_role("checkbox").check()
    desk.get_by_label("Credits a day").fill("2.5")
    desk.get_by_role("button", name="Save").click()
    expect(desk.get_by_text("Saved. It answers from now on.")).to_be_visible()
    expect(desk.locator(".reach")).to_contain_text("record.delete: a stranger could have it asked for")
    stored = asking.tool("agent.get", connectionId=asking.connection)
    assert ["record.list", "record.delete"] == stored["tools"]
    assert ("You answer for a lamp shop.", 2_500_000) == (
        stored["instructions"],
        stored["dailyMicroCredits"],
    )


def test_an_agent_is_tried_before_it_is_saved(desk: Page, service: Service, asking: Asking) -> None:
    """What reads is done; what writes is shown with its input and not done; nothing is kept but the cost."""
    before = service.rows("SELECT count(*) FROM agent_runs")
    notes = service.rows("SELECT count(*) FROM notes")
    record = asking.tool("record.create", objectType="contact", properties={"name": "Trial Tess"})["id"]
    desk.goto(f"/app/settings/agents?open={asking.connection}")
    desk.get_by_label("Find a tool").fill("note.create")
    desk.locator(".tool-choice").filter(has_text="note.create").get_by_role("checkbox").check()
    message = desk.get_by_label("Message", exact=True)
    asked = json.dumps({"recordId": record, "body": "Hello from a trial"})
    message.fill(f"call: note_create {asked}")
    desk.keyboard.press("Enter")
    would = desk.locator(".would-do")
    expect(would).to_contain_text("Would be done, and was not")
    expect(would.get_by_role("link", name="Trial Tess")).to_be_visible()
    expect(would).to_contain_text("Hello from a trial")
    message.fill('call: record_list {"objectType": "lamp", "limit": 1}')
    desk.keyboard.press("Enter")
    expect(desk.locator(".trial-turn")).to_have_count(2)
    desk.get_by_text(re.compile(r"^3 steps · 0\.\d+ credits$")).last.click()
    step = desk.locator(".step").filter(has_text="record.list").last
    expect(step).to_contain_text("Done")
    assert before == service.rows("SELECT count(*) FROM agent_runs")
    assert notes == service.rows("SELECT count(*) FROM notes")
    assert ["record.list", "record.delete"] == asking.tool("agent.get", connectionId=asking.connection)[
        "tools"
    ]


def test_a_run_has_an_address_and_every_step(desk: Page, asking: Asking) -> None:
    """The list leads to it; its steps have what each tool was given and answered, and what it cost."""
    lookup = 'call: record_list {"objectType": "lamp", "limit": 1}'
    conversation = asking.say("run-1", f"Which lamps?\n{lookup}", name="Rhoda Quay")
    runs = wait_for(
        lambda: asking.tool("agent.run_list", conversationId=conversation, state="replied")["runs"], bool
    )
    desk.goto(f"/app/settings/agents?run={runs[0]['id']}")
    panel = desk.locator(".panel")
    expect(panel.get_by_text("Replied", exact=True)).to_be_visible()
    expect(panel).to_contain_text("Rhoda Quay")
    step = panel.locator(".step[data-kind=tool]")
    expect(step).to_contain_text("Lamp")
    expect(panel.locator(".step").last).to_contain_text("It replied")
    desk.keyboard.press("Escape")
    desk.get_by_role("link", name="Runs").click()
    expect(desk.get_by_role("row").filter(has_text="Rhoda Quay").first).to_contain_text("Replied")


def test_a_run_is_stopped(desk: Page, asking: Asking) -> None:
    """One that waits is stopped from its page, after a question; nothing is sent then."""
    waiting = asking.tool("agent.run_list", state="waiting")["runs"]  # one of the demo waits for a year
    desk.goto(f"/app/settings/agents?run={waiting[0]['id']}")
    desk.get_by_role("button", name="Stop this run").click()
    desk.get_by_role("dialog").get_by_role("button", name="Stop this run").click()
    expect(desk.get_by_text("The run is stopped")).to_be_visible()
    expect(desk.locator(".panel").get_by_text("Stopped", exact=True)).to_be_visible()
    assert "stopped" == asking.tool("agent.run_get", id=waiting[0]["id"])["state"]


def test_an_agent_on_a_phone(phone: Page, asking: Asking) -> None:
    """Its settings and its trial stand under each other, and nothing is wider than the screen."""
    phone.goto(f"/app/settings/agents?open={asking.connection}")
    expect(phone.get_by_role("textbox", name="Instructions")).to_be_visible()
    expect(phone.get_by_label("Message", exact=True)).to_be_visible()
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
