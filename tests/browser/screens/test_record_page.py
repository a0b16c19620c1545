"""A record's page: properties in place, its timeline, notes, suggestions, relations, and deleting it."""

import re
from typing import Any

from playwright.sync_api import Locator, Page, Route, expect

from svc.http.screens.assets import built
from tests.browser.places import Service
from tests.browser.screens.conftest import Watch, type_into_opened
from tests.browser.screens.test_every_screen import faults


def tool(page: Page, service: Service, name: str, **given: Any) -> Any:
    """The answer of a tool to a program of the organization."""
    answer = page.request.post(
        f"{service.url}/api/v1/tools/{name}",
        headers={"Authorization": f"Bearer {service.facts['apiKey']}"},
        data=given,
    )
    assert answer.ok, answer.text()
    return answer.json()


def a_record(page: Page, service: Service, kind: str = "contact", **values: Any) -> str:
    """The id of a new record."""
    return str(tool(page, service, "record.create", objectType=kind, properties=values)["id"])


def change(page: Page, service: Service, record: str, **values: Any) -> None:
    """Somebody else changes *values* of the record."""
    tool(page, service, "record.update", id=record, properties=values)


def values_of(page: Page, service: Service, record: str) -> Any:
    return tool(page, service, "record.get", id=record)["properties"]


def open_record(page: Page, record: str, kind: str = "contact", query: str = "") -> None:
    page.goto(f"/app/records/{kind}/{record}{query}")
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def edit(page: Page, label: str) -> Locator:
    """The control of a property, opened by a click on its value."""
    page.get_by_role("button", name=f"Change {label}", exact=True).click()
    return page.get_by_role("textbox", name=label, exact=True)


def activity(page: Page) -> Locator:
    return page.get_by_role("region", name="Activity")


def test_properties_are_changed_in_place_by_keys(desk: Page, service: Service, watch: Watch) -> None:
    """`E` begins, Tab goes on, Enter stores, a refusal stands at the field, and Esc leaves what was there."""
    watch.expected = ["422"]
    record = a_record(desk, service, name="Mina Holm", city="Bergen")
    open_record(desk, record)
    desk.keyboard.press("e")
    expect(desk.get_by_role("textbox", name="Name", exact=True)).to_be_focused()
    desk.keyboard.type("Mina Holm-Vik")
    desk.keyboard.press("Tab")
    expect(desk.get_by_role("textbox", name="Job title")).to_be_focused()
    desk.keyboard.type("Architect")
    desk.keyboard.press("Enter")
    expect(desk.get_by_role("heading", name="Mina Holm-Vik", level=1)).to_be_visible()
    expect(desk.get_by_role("button", name="Change Job title")).to_be_focused()
    expect(activity(desk).get_by_text("changed Job title")).to_be_visible()
    desk.get_by_role("button", name="Change E-mail").focus()
    desk.keyboard.press("Enter")
    type_into_opened(desk, "nowhere")
    desk.keyboard.press("Enter")
    field = desk.get_by_role("textbox", name="E-mail")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_value("nowhere")
    expect(field).to_be_focused()
    assert [] == faults(desk)
    desk.keyboard.press("Escape")

    expect(field).to_have_count(0)
    expect(desk.get_by_role("button", name="Change E-mail")).to_be_focused()
    stored = {"name": "Mina Holm-Vik", "city": "Bergen", "job_title": "Architect"}
    assert stored == values_of(desk, service, record)


def test_what_is_typed_before_a_control_is_there_is_not_lost(desk: Page, service: Service) -> None:
    """Its script comes late: the keys go to it once it has come, and to no shortcut meanwhile."""
    record = a_record(desk, service, name="Early Bird", city="Oslo")
    held: list[Route] = []
    manifest = built().manifest
    [screen] = [one for one in manifest.screens if one.path == "/app/records/{object}/{record}"]
    at_once = {manifest.script, *manifest.preload, *screen.scripts}

    def hold(route: Route) -> None:
        if route.request.url.rpartition("/")[2] in at_once:
            route.continue_()
        else:
            held.append(route)

    desk.route("**/app/static/*.js", hold)
    open_record(desk, record)
    desk.get_by_role("button", name="Change City").focus()
    for key in ("Enter", "B", "e", "r", "n", "Enter"):
        desk.keyboard.press(key)
    assert held
    for route in held:
        route.continue_()
    desk.unroute("**/app/static/*.js")

    expect(activity(desk).get_by_text("changed City")).to_be_visible()
    assert "Bern" == values_of(desk, service, record)["city"]


def test_two_people_at_two_properties_lose_nothing(desk: Page, service: Service) -> None:
    """What a colleague changes arrives while one types, and both are stored."""
    record = a_record(desk, service, name="Jon Aas", city="Oslo")
    open_record(desk, record)
    edit(desk, "City").fill("Tromsø")
    change(desk, service, record, job_title="Captain")
    expect(desk.get_by_label("Key facts").get_by_text("Captain")).to_be_visible()
    expect(desk.get_by_role("textbox", name="City")).to_have_value("Tromsø")
    desk.keyboard.press("Enter")
    expect(desk.get_by_label("Key facts").get_by_text("Tromsø")).to_be_visible()

    expect(activity(desk).get_by_text("changed City")).to_be_visible()
    stored = {"name": "Jon Aas", "city": "Tromsø", "job_title": "Captain"}
    assert stored == values_of(desk, service, record)


def test_two_people_at_one_property_are_asked(desk: Page, service: Service, watch: Watch) -> None:
    """Both values are shown, leaving asks, and theirs stays unless one keeps one's own."""
    watch.expected = ["409"]
    record = a_record(desk, service, name="Siv Dahl", city="Oslo")
    open_record(desk, record)
    for theirs, mine, choice, kept in (
        ("Turin", "Paris", "Take theirs", "Turin"),
        ("Rome", "Vienna", "Keep mine", "Vienna"),
    ):
        edit(desk, "City").fill(mine)
        change(desk, service, record, city=theirs)
        desk.keyboard.press("Enter")
        clash = desk.get_by_role("alert")
        expect(clash).to_contain_text(f"City is now “{theirs}”")
        expect(desk.get_by_text(f"Yours: “{mine}”")).to_be_visible()
        desk.get_by_role("link", name="Companies").click()
        desk.get_by_role("dialog").get_by_role("button", name="Stay here").click()
        clash.get_by_role("button", name=choice).click()
        expect(clash).to_have_count(0)
        expect(desk.get_by_label("Key facts").get_by_text(kept)).to_be_visible()

        # It is shown before it is stored.
        latest = activity(desk).get_by_role("listitem").filter(has_text="changed City").first
        expect(latest).to_contain_text(kept)
        assert kept == values_of(desk, service, record)["city"]


def test_an_untouched_control_stores_nothing(desk: Page, service: Service) -> None:
    """A colleague's value stays where one only looked into the field."""
    record = a_record(desk, service, name="Ulla Berg", city="Oslo")
    open_record(desk, record)
    edit(desk, "City")
    change(desk, service, record, city="Bodø")
    expect(desk.get_by_label("Key facts").get_by_text("Bodø")).to_be_visible()
    desk.keyboard.press("Enter")

    expect(desk.get_by_role("textbox", name="City")).to_have_count(0)
    assert "Bodø" == values_of(desk, service, record)["city"]


def test_a_note_is_written_by_keys_and_outlives_the_page(desk: Page, service: Service) -> None:
    """`N` begins one, what is typed survives a reload, Ctrl Enter saves it, and nothing is left."""
    record = a_record(desk, service, name="Note Taker")
    open_record(desk, record)
    desk.keyboard.press("n")
    field = desk.get_by_role("textbox", name="Note")
    expect(field).to_be_focused()
    desk.keyboard.type("Wants an offer.\nCalls on Friday.")
    desk.reload()
    expect(field).to_have_value("Wants an offer.\nCalls on Friday.")
    desk.keyboard.press("n")
    expect(field).to_be_focused()
    desk.keyboard.press("Control+Enter")
    expect(desk.get_by_text("The note is saved")).to_be_visible()
    expect(activity(desk).get_by_text("Wants an offer.")).to_be_visible()
    expect(activity(desk).get_by_text("You wrote a note")).to_be_visible()
    expect(field).to_have_value("")
    desk.reload()

    expect(field).to_have_value("")
    assert [("Wants an offer.\nCalls on Friday.",)] == service.rows(
        "SELECT body FROM notes WHERE record_id = ?", record
    )


def test_the_timeline_is_filtered_by_the_address(desk: Page, service: Service) -> None:
    """Each kind by itself, by day, and what there is none of says so."""
    record = a_record(desk, service, name="Filtered")
    tool(desk, service, "note.create", recordId=record, body="A remark.")
    change(desk, service, record, city="Lyon")
    open_record(desk, record)
    shown = activity(desk)
    expect(shown.get_by_role("listitem").filter(has_text="changed City")).to_be_visible()
    expect(shown.get_by_role("heading", name="Today")).to_be_visible()
    shown.get_by_role("link", name="Notes").click()
    expect(shown.get_by_text("A remark.")).to_be_visible()
    expect(shown.get_by_text("changed City")).to_have_count(0)
    expect(desk).to_have_url(re.compile("kind=notes"))
    shown.get_by_role("link", name="Messages").click()

    expect(shown.get_by_text("No messages yet")).to_be_visible()


def test_a_long_timeline_loads_on(desk: Page, service: Service) -> None:
    """By its cursor, as one scrolls; and a filter looks on until it has some."""
    record = a_record(desk, service, name="Long Story")
    tool(desk, service, "note.create", recordId=record, body="The very first remark.")
    for number in range(60):
        change(desk, service, record, city=f"Town {number}")
    open_record(desk, record)
    shown = activity(desk)
    expect(shown.get_by_text("Town 59").first).to_be_visible()
    desk.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(shown.get_by_text("The very first remark.")).to_be_attached()
    open_record(desk, record, query="?kind=notes")

    expect(shown.get_by_text("The very first remark.")).to_be_visible()


def test_a_change_is_taken_back_and_that_as_well(desk: Page, service: Service) -> None:
    """Its entry says from what to what, and who; Undo writes it again."""
    record = a_record(desk, service, "deal", name="Lamps for a pier", stage="New", amount=1200)
    change(desk, service, record, stage="Won", amount=1500)
    open_record(desk, record, "deal")
    entry = activity(desk).get_by_role("listitem").filter(has_text="changed 2 properties").first
    expect(entry).to_contain_text("New")
    expect(entry).to_contain_text("£1,500.00")
    expect(entry).to_contain_text("API key")
    entry.hover()
    entry.get_by_role("button", name="Take back").click()
    expect(desk.get_by_label("Key facts").get_by_text("£1,200.00")).to_be_visible()
    assert "New" == values_of(desk, service, record)["stage"]
    desk.get_by_role("button", name="Undo").click()
    expect(desk.get_by_label("Key facts").get_by_text("£1,500.00")).to_be_visible()

    assert "Won" == values_of(desk, service, record)["stage"]


def _suggest(page: Page, service: Service, email: str, **values: str) -> None:
    records = [{"properties": {"email": email, **values}}]
    tool(page, service, "record.upsert_many", objectType="contact", records=records)


def test_suggestions_are_accepted_and_dismissed(desk: Page, service: Service) -> None:
    """`A` accepts the first, with Undo; one is dismissed; the rest is accepted at once."""
    email = "suggested@example.com"
    record = a_record(
        desk, service, name="Sue Gest", email=email, city="Hull", job_title="Clerk", country="GB"
    )
    _suggest(desk, service, email, city="York")
    open_record(desk, record)
    box = desk.get_by_role("region", name="suggested change")
    expect(box).to_contain_text("Hull")
    expect(box).to_contain_text("York")
    desk.keyboard.press("a")
    expect(desk.get_by_text("City is now “York”")).to_be_visible()
    expect(box).to_have_count(0)
    assert "York" == values_of(desk, service, record)["city"]
    desk.keyboard.press("z")
    expect(desk.get_by_label("Key facts").get_by_text("Hull")).to_be_visible()
    _suggest(desk, service, email, city="Bath", job_title="Captain", country="NO")
    expect(box).to_contain_text("3 suggested changes")
    box.get_by_role("button", name="Dismiss Bath as City").click()
    expect(box).to_contain_text("2 suggested changes")
    box.get_by_role("button", name="Accept all").click()
    expect(box).to_have_count(0)

    stored = {"city": "Hull", "job_title": "Captain", "country": "NO"}
    assert stored.items() <= values_of(desk, service, record).items()


def test_relations_lead_both_ways(desk: Page, service: Service) -> None:
    """A contact's company, the company's contacts and deals; another company is chosen by keys."""
    company = a_record(desk, service, "company", name="Fjord Pilots")
    contact = a_record(desk, service, name="Ida Lund", company=company)
    a_record(desk, service, "deal", name="Lamps for the fjord", stage="New", company=company, contact=contact)
    open_record(desk, company, "company")
    related = desk.get_by_role("region", name="Related")
    expect(related.get_by_role("link", name="Lamps for the fjord")).to_be_visible()
    related.get_by_role("link", name="Ida Lund").click()
    expect(desk.get_by_role("heading", name="Ida Lund", level=1)).to_be_focused()
    expect(desk.get_by_role("region", name="Related").get_by_role("link", name="Lamps for")).to_be_visible()
    expect(activity(desk).get_by_role("link", name="Lamps for the fjord")).to_be_visible()
    desk.get_by_role("button", name="Change Company").focus()
    desk.keyboard.press("Enter")
    type_into_opened(desk, "Bellevue")
    expect(desk.get_by_role("option", name="Hotel Bellevue")).to_be_visible()
    desk.keyboard.press("Enter")
    expect(desk.get_by_label("Key facts").get_by_role("link", name="Hotel Bellevue")).to_be_visible()
    expect(activity(desk).get_by_role("link", name="Fjord Pilots")).to_be_visible()
    desk.get_by_label("Key facts").get_by_role("link", name="Hotel Bellevue").click()

    expect(desk.get_by_role("region", name="Related").get_by_role("link", name="Ida Lund")).to_be_visible()


def test_a_record_is_deleted_and_brought_back(desk: Page, service: Service, watch: Watch) -> None:
    """At once, with Undo; later by its address, where it says that it is gone."""
    watch.expected = ["404"]
    record = a_record(desk, service, name="Gone Girl")
    open_record(desk, record)
    for way in ("Undo", "Bring it back"):
        desk.get_by_role("button", name="More", exact=True).click()
        desk.get_by_role("menuitem", name="Delete").click()
        expect(desk.get_by_text("“Gone Girl” is deleted")).to_be_visible()
        expect(desk).to_have_url(re.compile("/app/records/contact$"))
        if way == "Bring it back":
            desk.goto(f"/app/records/contact/{record}")
            expect(desk.get_by_role("heading", name="There is no such record")).to_be_visible()
            assert [] == faults(desk)
        desk.get_by_role("button", name=way).click()

        expect(desk.get_by_role("heading", name="Gone Girl", level=1)).to_be_visible()


def test_a_viewer_reads_and_changes_nothing(desk: Page, service: Service) -> None:
    """What the role does not permit is not offered."""
    record = a_record(desk, service, name="Read Only", city="Kiel")
    desk.route(
        f"**/app/records/contact/{record}",
        lambda route: route.fulfill(
            response=(shell := route.fetch()), body=shell.text().replace('"records.write",', "")
        ),
    )
    open_record(desk, record)
    expect(desk.get_by_label("Key facts").get_by_text("Kiel")).to_be_visible()
    desk.keyboard.press("n")
    desk.keyboard.press("e")

    expect(desk.get_by_role("textbox")).to_have_count(0)
    expect(desk.get_by_role("button", name="Change City")).to_have_count(0)
    desk.get_by_role("button", name="More", exact=True).click()
    expect(desk.get_by_role("menuitem")).to_have_text(["Copy link"])


def test_on_a_phone_its_parts_are_tabs(phone: Page, service: Service) -> None:
    """One column of 390 px; each part by its tab, and a property is changed by a tap."""
    company = a_record(phone, service, "company", name="Tiny Company")
    record = a_record(phone, service, name="Phil Phone", email="phil@example.com", company=company)
    open_record(phone, record)
    expect(activity(phone).get_by_text("Created")).to_be_visible()
    expect(phone.get_by_role("button", name="Change City")).to_be_hidden()
    phone.get_by_role("link", name="Details").tap()
    phone.get_by_role("button", name="Change City").tap()
    phone.get_by_role("textbox", name="City").fill("Ghent")
    phone.keyboard.press("Enter")
    expect(phone.get_by_label("Key facts").get_by_text("Ghent")).to_be_visible()
    assert [] == faults(phone)
    assert 390 >= phone.evaluate("document.documentElement.scrollWidth")
    phone.get_by_role("link", name="Related").tap()

    expect(phone.get_by_text("Records of any object that name this one stand here")).to_be_visible()
    expect(phone).to_have_url(re.compile("tab=related"))


def test_the_next_record_of_the_list_is_a_key_away(desk: Page, service: Service) -> None:
    """`J` and `K` follow the list that one came from; Back leads to it, and a link alone has none."""
    company = a_record(desk, service, "company", name="Listed Ltd")
    names = ["Lise Listed", "Lotte Listed", "Lukas Listed"]
    ids = [a_record(desk, service, name=name, company=company) for name in names]
    desk.goto("/app/records/contact?q=listed")
    for name in names:
        expect(desk.get_by_text(name)).to_be_visible()
    desk.get_by_role("link", name="Lotte Listed").click()
    expect(desk.get_by_role("heading", name="Lotte Listed", level=1)).to_be_visible()
    expect(desk.get_by_text("2 of 3")).to_be_visible()
    desk.keyboard.press("j")
    expect(desk.get_by_text("3 of 3")).to_be_visible()
    seen = [desk.get_by_role("heading", level=1).inner_text()]
    for at in (2, 1):
        desk.keyboard.press("k")
        expect(desk.get_by_text(f"{at} of 3")).to_be_visible()
        seen.append(desk.get_by_role("heading", level=1).inner_text())

    assert set(names) == set(seen)
    desk.go_back()
    expect(desk).to_have_url(f"{service.url}/app/records/contact?q=listed")
    desk.goto(f"/app/records/contact/{ids[0]}")
    expect(desk.get_by_role("heading", name="Lise Listed", level=1)).to_be_visible()
    expect(desk.get_by_text("of 3")).to_have_count(0)


def test_a_picture_is_uploaded_and_removed(desk: Page, service: Service) -> None:
    """It is the value of its property then, and stands among the files; removing it asks first."""
    tool(desk, service, "object.create", slug="boat", label="Boat", labelPlural="Boats")
    picture = {"slug": "photo", "label": "Photo", "type": "picture"}
    tool(desk, service, "property.create", objectType="boat", **picture)
    record = a_record(desk, service, "boat", name="Ærø")
    open_record(desk, record, "boat")
    files = desk.get_by_role("region", name="Files")
    expect(files.get_by_text("Pictures that its properties use stand here.")).to_be_visible()
    desk.locator("input[type=file]").set_input_files(
        {"name": "blå båd.gif", "mimeType": "image/gif", "buffer": b"GIF89a\1\0\1\0\0\0\0;"}
    )
    expect(files.get_by_role("link", name="blå båd.gif")).to_be_visible()
    expect(activity(desk).get_by_text("changed Photo")).to_be_visible()
    assert str(values_of(desk, service, record)["photo"]).startswith("fil_")
    files.get_by_role("button", name="More for blå båd.gif").click()
    desk.get_by_role("menuitem", name="Remove").click()
    desk.get_by_role("dialog", name="Remove “blå båd.gif”?").get_by_role("button", name="Remove").click()

    expect(files.get_by_role("link")).to_have_count(0)
