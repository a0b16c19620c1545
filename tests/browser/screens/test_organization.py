"""Settings › Organization, Members, Roles, Teams, Sites and the audit trail."""

import re
from pathlib import Path
from typing import Any

import phonenumbers
from playwright.sync_api import Locator, Page, expect

from svc.domain.locale.currencies import CURRENCIES
from tests.browser.places import Service
from tests.browser.screens.conftest import Watch, type_into_opened


def ask(page: Page, service: Service, tool: str, **asked: Any) -> Any:
    """What *tool* answers to the demo's key."""
    headers = {"Authorization": f"Bearer {service.facts['apiKey']}"}
    answer = page.request.post(f"{service.url}/api/v1/tools/{tool}", data=asked, headers=headers)
    assert 200 == answer.status, answer.text()
    return answer.json()


def row(page: Page, text: str) -> Locator:
    """The row of a list that has *text*."""
    return page.get_by_role("row").filter(has_text=text)


def save(page: Page) -> None:
    """Save, and wait until it is stored and said so on the page that comes then."""
    with page.expect_response("**/app/api/tools/organization.update"):
        page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status").get_by_text("Saved", exact=True)).to_be_visible()


def test_two_people_change_the_organization(desk: Page, service: Service) -> None:
    """What the other saves is seen at once, and only what both have changed is asked about."""
    before = ask(desk, service, "organization.get")
    desk.goto("/app/settings/organization")
    expect(desk.get_by_role("region", name="Plan")).to_contain_text("Pro")
    for label, known in (("Country", phonenumbers.SUPPORTED_REGIONS), ("Currency", CURRENCIES)):
        options = desk.get_by_label(label).locator("option")
        assert set(known) == set(options.evaluate_all("(all) => all.map((one) => one.value)"))
    desk.get_by_label("Time zone").select_option("Asia/Tokyo")
    expect(desk.get_by_text("19 Sept 2026, 01:30 · 1,234,567.5 · £1,234,567.50")).to_be_visible()
    desk.wait_for_timeout(300)
    other = desk.context.new_page()
    other.goto("/app/settings/organization")
    other.get_by_label("Name", exact=True).fill("Harbour Lamps & Sons")
    save(other)
    expect(desk.get_by_label("Name", exact=True)).to_have_value("Harbour Lamps & Sons")
    expect(desk.get_by_label("Time zone")).to_have_value("Asia/Tokyo")
    expect(desk.get_by_role("alert")).to_have_count(0)
    other.get_by_label("Time zone").select_option("Europe/Oslo")
    save(other)
    clash = desk.get_by_role("alert")
    expect(clash).to_contain_text("Time zone is now “Europe/Oslo”")
    expect(desk.get_by_role("button", name="Save")).to_be_disabled()
    clash.get_by_role("button", name="Keep mine").click()
    save(desk)

    after = ask(desk, service, "organization.get")
    assert ("Harbour Lamps & Sons", "Asia/Tokyo") == (after["name"], after["timeZone"])
    expect(desk.get_by_role("link", name="Harbour Lamps & Sons")).to_be_visible()
    desk.get_by_label("Name", exact=True).fill(before["name"])
    desk.get_by_label("Time zone").select_option(before["timeZone"])
    save(desk)
    expect(desk.get_by_role("link", name=before["name"])).to_be_visible()
    assert before["name"] == ask(desk, service, "organization.get")["name"]


def test_a_site_on_a_phone(phone: Page, service: Service, watch: Watch) -> None:
    """A wrong domain is told at the field; the snippet is copied whole; removing asks for the name."""
    watch.expected = ["422"]
    phone.goto("/app/settings/sites")
    snippet = phone.get_by_label("The tracker’s snippet", exact=True)
    expect(snippet).to_have_text(f'<script src="{service.url}/t.js" defer></script>')
    phone.get_by_role("button", name="Add site").tap()
    domain = phone.get_by_label("Domain", exact=True)
    domain.fill("not a domain")
    phone.get_by_role("dialog").get_by_role("button", name="Add site").tap()
    expect(domain).to_have_attribute("aria-invalid", "true")
    domain.fill("https://www.lighthouse.example/shop")
    phone.get_by_role("dialog").get_by_role("button", name="Add site").tap()
    expect(row(phone, "lighthouse.example")).to_contain_text("Never")
    row(phone, "lighthouse.example").get_by_role("button").tap()
    phone.get_by_role("menuitem", name="Remove site").tap()
    dialog = phone.get_by_role("dialog", name="Remove lighthouse.example?")
    expect(dialog.get_by_role("button", name="Remove site")).to_be_disabled()
    dialog.get_by_role("textbox").fill("lighthouse.example")
    dialog.get_by_role("button", name="Remove site").tap()

    expect(row(phone, "lighthouse.example")).to_have_count(0)


def test_a_member_is_invited_by_keys_alone_and_changed(
    desk: Page, stranger: Page, service: Service, watch: Watch
) -> None:
    """The link is shown once and works; role and status are changed at once, and `Z` takes that back."""
    desk.goto("/app/settings/members")
    expect(row(desk, "Maren Holt")).to_contain_text("You")
    desk.keyboard.press("c")
    type_into_opened(desk, "ines@example.com")
    desk.keyboard.press("Enter")
    link = desk.get_by_label("Invitation link", exact=True).inner_text()
    assert link.startswith(f"{service.url}/app/invitation#svci_")
    desk.keyboard.press("Enter")
    expect(desk.get_by_text(link)).to_have_count(0)
    desk.get_by_role("link", name="Invited").click()
    expect(row(desk, "ines@example.com")).to_contain_text("Maren Holt")
    stranger.goto(link)
    stranger.get_by_label("Your name").fill("Inês <b>Prado</b>")
    stranger.get_by_label("New password", exact=True).fill("a lamp that nobody lit")
    stranger.keyboard.press("Enter")
    stranger.wait_for_selector("#title")
    expect(row(desk, "ines@example.com")).to_have_count(0)
    desk.get_by_role("link", name="All", exact=True).click()
    member = row(desk, "Inês <b>Prado</b>")
    member.get_by_role("link").focus()
    desk.keyboard.press("Enter")
    panel = desk.get_by_role("complementary")
    panel.get_by_label("Role").select_option("admin")
    expect(member).to_contain_text("Admin")
    desk.get_by_role("heading", level=1).click()
    desk.keyboard.press("z")
    expect(member).to_contain_text("Viewer")
    watch.expected = ["401", "403"]  # the frozen one's page, whose stream ends
    panel.get_by_role("button", name="Freeze").click()
    expect(member).to_contain_text("Frozen")
    panel.get_by_role("button", name="Deactivate").click()
    expect(member).to_contain_text("Deactivated")
    desk.reload()
    expect(panel.get_by_role("button", name="Freeze")).to_have_count(0)
    panel.get_by_role("button", name="Let in again").click()
    expect(member).to_contain_text("Active")
    panel.get_by_role("button", name="Deactivate").click()
    expect(member).to_contain_text("Deactivated")
    desk.keyboard.press("Escape")

    expect(panel).to_have_count(0)
    expect(member).to_contain_text("Deactivated")


def test_an_invitation_is_withdrawn_on_a_phone(phone: Page) -> None:
    """It is asked, since the link cannot be brought back."""
    phone.goto("/app/settings/members?status=invited&new=1")
    phone.get_by_label("E-mail").fill("gone@example.com")
    phone.get_by_role("button", name="Create link").tap()
    phone.get_by_role("button", name="I have copied it").tap()
    row(phone, "gone@example.com").get_by_role("button", name="Withdraw").tap()
    phone.get_by_role("dialog").get_by_role("button", name="Withdraw").tap()

    expect(row(phone, "gone@example.com")).to_have_count(0)


def test_a_role_is_made_changed_and_deleted(desk: Page, service: Service) -> None:
    """Its permissions are a grid; a built-in one stays as it is; deleting asks for the name."""
    desk.goto("/app/settings/roles")
    desk.get_by_role("link", name="Viewer").click()
    expect(desk.get_by_role("checkbox", name="See records")).to_be_disabled()
    desk.keyboard.press("Escape")
    desk.keyboard.press("c")
    panel = desk.get_by_role("complementary")
    panel.get_by_label("Name").fill("Night shift")
    panel.get_by_role("checkbox", name="See records").check()
    panel.get_by_role("button", name="Create role").click()
    expect(desk).to_have_url(re.compile(r"open=rol_"))
    panel.get_by_role("checkbox", name="Conversations").check()
    panel.get_by_role("button", name="Save").click()
    expect(desk.get_by_text("“Night shift” is saved")).to_be_visible()
    roles = ask(desk, service, "role.list")["roles"]
    assert [["conversations", "records.read"]] == [
        role["permissions"] for role in roles if role["name"] == "Night shift"
    ]
    panel.get_by_role("button", name="Delete role").click()
    dialog = desk.get_by_role("dialog", name="Delete “Night shift”?")
    dialog.get_by_role("textbox").fill("Night shift")
    dialog.get_by_role("button", name="Delete role").click()

    expect(row(desk, "Night shift")).to_have_count(0)


def test_teams_and_the_trail_of_what_was_done(phone: Page, service: Service) -> None:
    """A team is made and renamed; the trail is filtered by the address, and shows the same once more."""
    phone.goto("/app/settings/teams?new=1")
    phone.get_by_label("Name", exact=True).fill("Lamp testers")
    phone.get_by_role("dialog").get_by_role("button", name="Create team").tap()
    row(phone, "Lamp testers").get_by_role("button", name="Rename").tap()
    phone.get_by_label("Name", exact=True).fill("Lamp makers")
    phone.get_by_role("button", name="Save").tap()
    expect(row(phone, "Lamp makers")).to_be_visible()
    phone.goto("/app/settings/audit")
    phone.get_by_label("Action", exact=True).select_option("team.update")
    expect(phone.get_by_role("row")).to_have_count(1)
    phone.get_by_role("link", name="team.update").tap()
    panel = phone.get_by_role("complementary")
    expect(panel).to_contain_text("Maren Holt")
    panel.get_by_role("link", name=re.compile(r"^tea_")).tap()
    expect(phone).to_have_url(re.compile(r"audit\?target=tea_"))
    expect(phone.get_by_role("row").filter(has_text="team.create")).to_be_visible()
    phone.reload()
    expect(phone.get_by_role("row").filter(has_text="team.create")).to_be_visible()
    phone.get_by_label("Until").fill("2020-01-01")

    expect(phone.get_by_text("Nothing like this")).to_be_visible()


def test_an_entry_of_the_trail_leads_to_its_thing(desk: Page, service: Service) -> None:
    """Actions of all time can be chosen, whatever is listed; a form's entry opens the form."""
    made = ask(desk, service, "form.create", name="Bell ringers")
    desk.goto("/app/settings/audit?action=member.add")
    desk.get_by_label("Action", exact=True).select_option("form.create")
    entry = desk.get_by_role("row").filter(has_text=made["id"])
    entry.get_by_role("link", name="form.create").click()
    desk.get_by_role("complementary").get_by_role("link", name="Open its screen").click()

    expect(desk).to_have_url(f"{service.url}/app/forms/{made['id']}")
    expect(desk.get_by_role("heading", name="Bell ringers")).to_be_visible()


def test_the_trail_is_exported(desk: Page) -> None:
    """By a job, whose file the browser takes by itself; it has the whole trail, whatever is filtered."""
    desk.goto("/app/settings/audit?action=form.create")
    with desk.expect_download() as download:
        desk.get_by_role("button", name="Export").click()
        desk.get_by_role("menuitem", name="CSV, for spreadsheets").click()
    text = Path(download.value.path()).read_text("utf-8-sig")

    assert download.value.suggested_filename.endswith(".csv")
    assert {"form.create", "embed.create"} <= {cell for line in text.splitlines() for cell in line.split(",")}
    expect(desk.get_by_text("are in your downloads")).to_be_visible()
    expect(desk.get_by_role("button", name="Export")).to_be_visible()
