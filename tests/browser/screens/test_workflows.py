"""Workflows: five built by somebody who writes no code, and what the list, the runs and the versions say.

docs/workflows.md lists the five.
"""

import json
import re
from typing import Any, Final

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.places import Service
from tests.browser.screens.conftest import Watch
from tests.browser.screens.test_every_screen import faults

NOTE: Final = "Call back"


class Walk:
    """Somebody's way through the editor: each click, text and choice is a step."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.steps = 0

    def click(self, target: Locator) -> None:
        self.steps += 1
        target.click()

    def type(self, target: Locator, text: str) -> None:
        """Over what stands there."""
        self.steps += 1
        target.fill(text)

    def choose(self, label: str, option: str | re.Pattern[str]) -> None:
        """*option* in the field *label*, the last of that name."""
        self.steps += 1
        field = self.page.get_by_label(label, exact=True).last
        found = field.locator("option").filter(has_text=option).first
        field.select_option(label=found.inner_text())

    def begin(self, name: str) -> None:
        """By the navigation, from nothing."""
        self.page.goto("/app/")
        self.click(self.page.get_by_role("navigation").get_by_role("link", name="Workflows"))
        self.click(self.page.get_by_role("button", name="New workflow").first)
        self.click(self.page.get_by_role("button", name="Start from nothing"))
        self.type(self.page.get_by_label("Name", exact=True), name)

    def add(self, kind: str, to: str = "Add step") -> None:
        """A step of a *kind*, by the button that is called *to*."""
        self.click(self.page.get_by_role("button", name=to, exact=True).last)
        self.click(self.page.get_by_role("menuitem", name=kind, exact=True).locator("visible=true"))

    def insert(self, field: str, value: str) -> None:
        """A value of the run into *field*."""
        self.click(self.page.get_by_role("button", name=f"Insert a value: {field}").last)
        self.click(self.page.get_by_role("menuitem", name=value, exact=True).locator("visible=true").first)

    def save(self) -> Any:
        """The document that was saved."""
        expect(self.page.get_by_text("Nothing is wrong")).to_be_visible()
        self.click(self.page.get_by_role("button", name="Save", exact=True))
        self.page.wait_for_url(re.compile(r"/app/workflows/wfl_"))
        expect(self.page.get_by_text("Nothing changed")).to_be_visible()
        self.page.get_by_role("button", name="Document", exact=True).click()
        return json.loads(self.page.get_by_label("As JSON").input_value())


@pytest.fixture
def walk(desk: Page) -> Walk:
    return Walk(desk)


def test_a_deal_for_enquiries_from_one_city(walk: Walk, service: Service) -> None:
    """When a submission is filed, if its city is Kiel, then create a deal and note what they wrote."""
    walk.begin("Enquiries from Kiel")
    walk.click(walk.page.get_by_role("button", name="Add filter"))
    walk.choose("Property 1", "Contact: City")
    walk.choose("Comparison 1", re.compile("^is$"))
    walk.type(walk.page.get_by_label("Value 1", exact=True), "Kiel")
    walk.add("Create a deal")
    walk.type(walk.page.get_by_label("Its name", exact=True), "Lamp for ")
    walk.insert("Its name", "Name")
    walk.add("Write a note")
    walk.insert("Note", "message")
    saved = walk.save()

    assert {
        "name": "Enquiries from Kiel",
        "trigger": {"type": "submitted a form"},
        "conditions": [{"property": "city", "op": "eq", "value": "Kiel"}],
        "steps": [
            {"type": "create_deal", "key": "deal", "name": "Lamp for {{record.name}}"},
            {"type": "add_note", "key": "note", "body": "{{submission.fields.message}}"},
        ],
    } == saved
    assert 18 == walk.steps
    expect(walk.page.get_by_text("Would not start").first).to_be_hidden()
    walk.page.get_by_role("button", name="Try it", exact=True).first.click()
    expect(walk.page.get_by_text("Would not start").first).to_contain_text("City is Kiel")
    walk.page.get_by_role("button", name=re.compile("^Try it with")).first.click()
    expect(walk.page.get_by_role("region", name="What it would do")).to_contain_text("Lamp for")

    assert [] == service.rows("SELECT id FROM records WHERE properties LIKE '%Lamp for%'")


def test_a_reminder_after_a_deal_is_won(walk: Walk) -> None:
    """When a deal's stage changes to Won, wait a month, then write a note."""
    walk.begin("After a deal is won, by hand")
    walk.choose("What starts it", "a record changes")
    walk.choose("Object", "Deal")
    walk.click(walk.page.get_by_role("checkbox", name="Stage"))
    walk.click(walk.page.get_by_role("button", name="Add filter"))
    walk.choose("Property 1", "Deal: Stage")
    walk.choose("Comparison 1", re.compile("^is$"))
    walk.choose("Value 1", "Won")
    walk.add("Wait")
    walk.type(walk.page.get_by_label("How long", exact=True), "30")
    walk.add("Write a note")
    walk.type(walk.page.get_by_label("Note", exact=True), "Ask how it goes.")
    saved = walk.save()

    assert {"type": "record.updated", "objectType": "deal", "properties": ["stage"]} == saved["trigger"]
    assert [{"property": "stage", "op": "eq", "value": "Won"}] == saved["conditions"]
    assert [
        {"type": "wait", "key": "wait", "seconds": 2_592_000},
        {"type": "add_note", "key": "note", "body": "Ask how it goes."},
    ] == saved["steps"]
    assert 18 == walk.steps


def test_a_deal_every_monday(walk: Walk) -> None:
    """Every Monday at eight: a deal for the stock-taking, at stage New."""
    walk.begin("Stock-taking")
    walk.choose("What starts it", "it is time")
    walk.type(walk.page.get_by_label("Time", exact=True), "08:00")
    walk.add("Create a record")
    walk.choose("Object", "Deal")
    walk.click(walk.page.get_by_role("button", name="Set a property"))
    walk.type(walk.page.get_by_label("Value: Name", exact=True), "Stock-taking")
    walk.click(walk.page.get_by_role("button", name="Set a property"))
    walk.choose("Property: Amount", "Stage")
    saved = walk.save()

    assert ("schedule", "0 8 * * 1") == (saved["trigger"]["type"], saved["trigger"]["cron"])
    assert [
        {
            "type": "create_record",
            "key": "record",
            "objectType": "deal",
            "properties": {"name": "Stock-taking", "stage": "New"},
        }
    ] == saved["steps"]
    assert 14 == walk.steps


def test_a_long_menu_of_values_is_searched(walk: Walk) -> None:
    """By words of a value and of its group; a letter that is typed on an entry goes on with the search."""
    walk.begin("Found values")
    walk.choose("What starts it", "a record is created")
    walk.add("Write a note")
    page = walk.page
    button = page.get_by_role("button", name="Insert a value: Note").last
    button.click()
    field = page.get_by_role("searchbox", name="Find a value").locator("visible=true")
    entries = page.get_by_role("menuitem").locator("visible=true")
    expect(field).to_be_focused()
    page.keyboard.type("zzz")
    expect(page.get_by_text("Nothing found").locator("visible=true")).to_be_visible()
    field.fill("contact ph")
    expect(entries).to_have_text(["Phone"])
    page.keyboard.press("ArrowDown")
    expect(entries).to_be_focused()
    page.keyboard.press("o")
    expect(field).to_be_focused()
    expect(field).to_have_value("contact pho")
    page.keyboard.press("Enter")

    expect(page.get_by_label("Note", exact=True)).to_have_value("{{record.phone}}")
    expect(field).to_have_count(0)


def test_a_branch_for_contacts_without_a_phone(walk: Walk) -> None:
    """When a contact is created: without a phone a note to ask for it, otherwise one to call."""
    walk.begin("Welcome to the town")
    walk.choose("What starts it", "a record is created")
    walk.add("Decide by conditions")
    walk.click(walk.page.get_by_role("button", name="Add filter").last)
    walk.choose("Property 1", "Contact: Phone")
    walk.choose("Comparison 1", "is empty")
    walk.add("Write a note", "Add step to “Then” of step 1")
    walk.type(walk.page.get_by_label("Note", exact=True), "Ask for a number.")
    walk.add("Write a note", "Add step to “Otherwise” of step 1")
    walk.type(walk.page.get_by_label("Note", exact=True), "Call ")
    walk.insert("Note", "Phone")
    saved = walk.save()

    assert [
        {
            "type": "branch",
            "key": "decide",
            "conditions": [{"property": "phone", "op": "is_empty"}],
            "then": [{"type": "add_note", "key": "note", "body": "Ask for a number."}],
            "else": [{"type": "add_note", "key": "note_2", "body": "Call {{record.phone}}"}],
        }
    ] == saved["steps"]
    assert 19 == walk.steps


def test_messages_are_confirmed_and_assigned(walk: Walk) -> None:
    """When a message comes in: reply, and assign the conversation to somebody."""
    walk.begin("First answers")
    walk.choose("What starts it", "a message comes in")
    walk.add("Reply in the conversation")
    walk.type(walk.page.get_by_label("Text", exact=True), "Thank you, we have it.")
    walk.add("Assign to somebody")
    walk.choose("To whom", "Maren Holt")
    saved = walk.save()

    assert ["reply", "assign"] == [step["type"] for step in saved["steps"]]
    assert "Thank you, we have it." == saved["steps"][0]["text"]
    assert saved["steps"][1]["memberId"].startswith("usr_")
    assert 12 == walk.steps


def test_every_template_can_be_saved_as_it_is(desk: Page) -> None:
    """In any organization: they are about what each has."""
    desk.goto("/app/workflows/new")
    templates = desk.locator(".template > strong")
    expect(templates).to_have_count(11)
    names = templates.all_inner_texts()[1:]

    assert 10 == len(names)
    for name in names:
        desk.goto("/app/workflows/new")
        desk.get_by_role("button", name=name).click()
        expect(desk.get_by_text("Nothing is wrong")).to_be_visible()
    assert [] == faults(desk)


def test_faults_stand_at_their_places_once_one_goes_on(desk: Page, watch: Watch) -> None:
    """What was just added may be empty; the count leads to what is missing, and it cannot be saved."""
    watch.expected = ["422"]
    desk.goto("/app/workflows/new?from=blank")
    desk.get_by_role("button", name="Add step", exact=True).click()
    desk.get_by_role("menuitem", name="Write a note").click()
    expect(desk.get_by_text("1 thing is missing or wrong")).to_be_visible()
    expect(desk.locator(".field-fault")).to_have_count(0)
    desk.get_by_role("button", name="1 thing is missing or wrong").click()
    note = desk.get_by_label("Note", exact=True)
    expect(note).to_be_focused()
    expect(note).to_have_attribute("aria-invalid", "true")
    note.fill("{{record.nme}}")
    expect(desk.locator(".field-fault").first).to_contain_text("did you mean")
    desk.get_by_role("button", name="Save", exact=True).click()
    expect(note).to_be_focused()
    note.fill("Hello")

    expect(desk.get_by_text("Nothing is wrong")).to_be_visible()
    expect(desk.locator(".field-fault")).to_have_count(0)
    desk.get_by_role("button", name="Undo", exact=True).click()
    expect(note).not_to_have_value("Hello")


def test_steps_are_moved_by_keys_and_by_drag_into_branches_and_out(desk: Page) -> None:
    """By one place at a time; the focus stays with the step."""
    desk.goto("/app/workflows/new?from=approval")
    sentences = desk.locator(".step-sentence")
    expect(sentences).to_have_count(3)
    desk.get_by_role("button", name="Edit step 2").focus()
    desk.keyboard.press("Alt+ArrowDown")
    expect(desk.get_by_text("Now step 2 of 3")).to_be_attached()
    otherwise = desk.get_by_role("group", name="Otherwise")
    expect(otherwise.locator(".step-sentence").first).to_contain_text("Approved.")
    desk.keyboard.press("Alt+ArrowDown")
    desk.keyboard.press("Alt+ArrowDown")
    expect(otherwise.locator(".step-sentence")).to_have_count(1)
    expect(sentences.nth(2)).to_contain_text("Approved.")
    desk.set_viewport_size({"width": 1280, "height": 1_400})
    handle = desk.locator(".step-list > .step > .step-card .block-handle").last.bounding_box()
    top = desk.locator(".step-card").first.bounding_box()
    assert handle
    assert top
    desk.mouse.move(handle["x"] + 8, handle["y"] + 8)
    desk.mouse.down()
    desk.mouse.move(handle["x"] + 8, top["y"] + 2, steps=40)
    desk.mouse.up()

    expect(sentences.first).to_contain_text("Approved.")


def test_a_run_that_failed_leads_to_its_step_and_goes_on(desk: Page, service: Service) -> None:
    """From the log to the editor; what was mended there goes on with what the run had made."""
    desk.goto("/app/workflows/new?from=blank")
    desk.get_by_label("Name", exact=True).fill("Fails at its second step")
    desk.get_by_role("button", name="Document", exact=True).click()
    document = {
        "name": "Fails at its second step",
        "trigger": {"type": "manual"},
        "conditions": [],
        "steps": [
            {"type": "add_note", "key": "note", "body": "Tried"},
            {"type": "update_record", "key": "mail", "properties": {"email": "{{record.city}}"}},
        ],
    }
    desk.get_by_label("As JSON").fill(json.dumps(document))
    expect(desk.get_by_text("Nothing is wrong")).to_be_visible()
    desk.get_by_role("button", name="Save", exact=True).click()
    desk.get_by_role("button", name="Turn on").click()
    expect(desk.get_by_role("button", name="Turn off")).to_be_visible()
    workflow = desk.url.split("/")[-1].split("?")[0]
    [[contact]] = service.rows(
        "SELECT min(id) FROM records WHERE properties LIKE '%Grace Okafor%' AND deleted_at IS NULL"
    )
    desk.evaluate(
        """async ([id, recordId]) => {
          const boot = JSON.parse(document.getElementById("boot").textContent);
          const headers = {"Content-Type": "application/json", "X-CSRF-Token": boot.session.csrfToken};
          const body = JSON.stringify({id, recordId});
          await fetch("/app/api/tools/workflow.run", {method: "POST", headers, body});
        }""",
        [workflow, contact],
    )
    desk.get_by_role("link", name="Runs", exact=True).click()
    row = desk.get_by_role("row").filter(has_text="Failed")
    expect(row).to_contain_text("Grace Okafor")
    row.locator("a[data-row]").click()
    expect(desk.get_by_role("heading", level=1)).to_contain_text("Run of")
    expect(desk.locator(".step-log > li").last).to_contain_text("mail")
    assert [] == faults(desk)
    run = desk.url
    desk.get_by_role("link", name="Show it in the editor").click()
    expect(desk.locator(".step[data-open]")).to_contain_text("E-mail")
    desk.get_by_role("button", name="Remove E-mail").click()
    desk.get_by_role("button", name="Set a property").click()
    desk.get_by_label("Property: Name", exact=True).select_option(label="Job title")
    desk.get_by_label("Value: Job title", exact=True).fill("Captain")
    desk.get_by_role("button", name="Save", exact=True).click()
    expect(desk.get_by_text("Nothing changed")).to_be_visible()
    desk.goto(run)
    desk.get_by_role("button", name="Go on from here: mail").click()
    desk.get_by_role("menuitem", name="With the newest version").click()
    expect(desk.locator(".run-facts")).to_contain_text("Done")

    expect(desk.locator(".step-log > li")).to_have_count(2)
    desk.get_by_role("link", name="Fails at its second step").click()
    desk.get_by_role("link", name="Versions", exact=True).click()
    expect(desk.locator(".versions")).to_contain_text("Maren Holt")
    desk.get_by_role("button", name="Version 2").click()
    expect(desk.locator(".version-body")).to_contain_text("1 step changed")
    desk.get_by_role("button", name="Version 1").click()
    desk.get_by_role("link", name="Edit from this version").click()
    expect(desk.get_by_text("Not saved yet: 1 step changed")).to_be_visible()


def test_the_second_at_a_workflow_never_overwrites_unseen(desk: Page, phone: Page) -> None:
    """They hear what the other has changed, and choose."""
    desk.goto("/app/workflows/new?from=company")
    desk.get_by_label("Name", exact=True).fill("Two at once")
    expect(desk.get_by_text("Nothing is wrong")).to_be_visible()
    desk.get_by_role("button", name="Save", exact=True).click()
    desk.wait_for_url(re.compile(r"/app/workflows/wfl_"))
    phone.goto(desk.url)
    phone.get_by_label("Name", exact=True).fill("Mine")
    desk.get_by_role("button", name="Edit step 1").click()
    desk.get_by_label("Title (optional)").fill("Theirs")
    expect(desk.get_by_text("Nothing is wrong")).to_be_visible()
    desk.get_by_role("button", name="Save", exact=True).click()
    expect(desk.get_by_text("Nothing changed")).to_be_visible()
    alert = phone.get_by_role("alert")
    expect(alert).to_contain_text("Theirs: 1 step changed. Yours, not saved yet: name.")
    expect(phone.get_by_role("button", name="Save", exact=True)).to_be_disabled()
    alert.get_by_role("button", name="Take theirs").click()

    expect(phone.get_by_label("Name", exact=True)).to_have_value("Two at once")
    expect(phone.get_by_text("Nothing changed")).to_be_visible()


def test_workflows_are_reached_by_keys_and_found_by_name(desk: Page) -> None:
    """`G` `W` goes to the list, `C` makes a new one, and the palette knows each."""
    desk.goto("/app/")
    expect(desk.get_by_role("heading", level=1)).to_be_visible()  # keys are heard from here on
    desk.keyboard.press("g")
    desk.keyboard.press("w")
    expect(desk.get_by_role("heading", name="Workflows", level=1)).to_be_visible()
    expect(desk.get_by_role("row").filter(has_text="Repair wanted").first).to_contain_text("On")
    assert [] == faults(desk)
    desk.keyboard.press("c")
    expect(desk.get_by_role("button", name="Start from nothing")).to_be_visible()
    desk.keyboard.press("Control+k")
    expect(desk.get_by_role("combobox")).to_be_focused()
    desk.keyboard.insert_text("Catalogue by")
    desk.get_by_role("option", name=re.compile("Catalogue by post")).click()

    expect(desk.get_by_role("heading", name="Catalogue by post", level=1)).to_be_visible()
