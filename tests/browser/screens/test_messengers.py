"""Settings › Messengers and Account › Messengers: connections, and how their bridges are doing."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from svc.client import verify
from tests.browser.places import Receiver, Service, wait_for
from tests.browser.screens.conftest import Watch
from tests.browser.test_demo_messenger import demo_messenger

PATH = "/app/settings/messengers"


@pytest.fixture(scope="module")
def service(outward: Service) -> Service:
    """One that may push to programs of this machine."""
    return outward


def call(page: Page, key: str, door: str, body: Any) -> int:
    """The status that a bridge with the key is answered."""
    headers = {"Authorization": f"Bearer {key}"}
    return page.request.post(f"/api/channels/v1/{door}", data=body, headers=headers).status


def open_panel(page: Page, name: str, path: str = PATH) -> None:
    page.goto(path)
    page.locator("a[data-row]").filter(has_text=name).click()
    expect(page.locator(".panel").get_by_role("heading", name=name)).to_be_visible()


def test_a_bridge_that_pulls_is_connected_and_its_first_call_is_seen(desk: Page) -> None:
    """By keys alone; three lines to paste have the key, and the dialog says the moment that it has called."""
    desk.goto(PATH)
    desk.wait_for_selector("table")
    desk.keyboard.press("c")
    expect(desk).to_have_url(f"{desk.url.partition('?')[0]}?new=1")
    desk.keyboard.type("Pier on Telegram")
    desk.keyboard.press("Enter")
    dialog = desk.get_by_role("dialog", name="Start the bridge of “Pier on Telegram”")
    key = dialog.get_by_label("Channel key").inner_text()
    lines = dialog.get_by_label("To paste").inner_text()
    assert 3 == len(lines.splitlines())
    assert f"SVC_CHANNEL_KEY={key} " in lines
    program = lines.partition("curl -O ")[2].partition("\n")[0]
    assert "Telegram" in desk.request.get(program).text()
    expect(dialog.get_by_role("status").filter(has_text="Waiting for its first call")).to_be_visible()

    assert 200 == call(desk, key, "channel.connection.report", {"state": "online"})

    expect(dialog.get_by_text("It is here: its first call came")).to_be_visible()
    desk.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    expect(desk.get_by_text(key)).to_have_count(0)
    row = desk.get_by_role("row").filter(has_text="Pier on Telegram")
    expect(row).to_contain_text("Active")
    expect(row).to_contain_text("The bridge pulls")
    expect(row).to_contain_text("Shared")
    expect(row).not_to_contain_text("No call yet")


def test_the_demos_bridge_is_here_once_it_runs(desk: Page, service: Service) -> None:
    """Its connection waits for the first call, and has it as soon as the program is started."""
    open_panel(desk, "Demo messenger")
    panel = desk.locator(".panel")
    expect(panel.get_by_text("Waiting for its first call")).to_be_visible()
    expect(panel.get_by_text("Its bridge has not reported yet how it is.")).to_be_visible()
    expect(panel.get_by_text("The bridge pulls, so there is nothing to push")).to_be_visible()

    with demo_messenger(service.database.parent):
        expect(panel.get_by_text("Its bridge reported online")).to_be_visible()
        expect(panel.get_by_text("Waiting for its first call")).to_have_count(0)
        expect(panel.locator(".key-lines")).to_contain_text("Last used")


def test_a_bridge_that_is_pushed_to_is_tested(desk: Page, receiver: Receiver) -> None:
    """Signed as the secret says; status, time and the beginning of the answer, good and bad, are shown."""
    desk.goto(f"{PATH}?new=1")
    desk.get_by_label("Name").fill("Pier push")
    desk.get_by_label("Messenger", exact=True).select_option("Signal")
    desk.get_by_role("radio", name="Push to a URL").check()
    desk.get_by_label("Bridge URL").fill(receiver.url)
    desk.get_by_role("button", name="Connect", exact=True).click()
    secret = desk.get_by_label("Signing secret").inner_text()
    desk.get_by_role("button", name="I have copied it").click()
    open_panel(desk, "Pier push")
    panel = desk.locator(".panel")
    panel.get_by_role("button", name="Send test").click()
    expect(panel.get_by_text("Answered 200 after")).to_be_visible()
    expect(panel.get_by_text("thanks")).to_be_visible()

    [(headers, body)] = receiver.got
    assert headers["X-Service-Delivery"] == verify(secret, headers, body)
    receiver.status, receiver.body = 500, "<b>the bot is asleep</b>"
    panel.get_by_role("button", name="Send test").click()
    expect(panel.get_by_text("Answered 500 after")).to_be_visible()
    expect(panel.get_by_text("<b>the bot is asleep</b>")).to_be_visible()

    panel.get_by_role("button", name="New signing secret").click()
    dialog = desk.get_by_role("dialog")
    expect(dialog).to_contain_text("For 24 hours pushes are signed with both")
    dialog.get_by_role("button", name="New signing secret").click()
    expect(desk.get_by_role("dialog", name="Copy it now")).to_contain_text("24 hours from now")
    second = desk.get_by_label("Signing secret").inner_text()
    desk.get_by_role("button", name="I have copied it").click()
    expect(panel.get_by_text("the secret before this one signs as well")).to_be_visible()
    panel.get_by_role("button", name="Send test").click()
    headers, body = wait_for(lambda: receiver.got, lambda got: len(got) == 3)[2]
    assert verify(secret, headers, body) == verify(second, headers, body)


def test_an_offline_bridge_is_told_of_and_paused_and_resumed(
    desk: Page, service: Service, watch: Watch
) -> None:
    """Here and on Home; `Pause` can be undone, keys are made and revoked, and it is removed by name."""
    desk.goto(f"{PATH}?new=1")
    desk.get_by_label("Name").fill("Pier on Matrix")
    desk.get_by_label("Messenger", exact=True).select_option("Matrix")
    desk.get_by_role("button", name="Connect", exact=True).click()
    first = desk.get_by_label("Channel key").inner_text()
    desk.get_by_role("button", name="I have copied it").click()
    open_panel(desk, "Pier on Matrix")
    panel = desk.locator(".panel")
    report = {"state": "offline", "reason": "token_revoked", "detail": "M_UNKNOWN_TOKEN <i>"}
    assert 200 == call(desk, first, "channel.connection.report", report)
    expect(panel.locator(".badge").first).to_have_text("Offline")
    expect(panel.get_by_text("give the bridge a new one")).to_be_visible()
    expect(panel.get_by_text("M_UNKNOWN_TOKEN <i>")).to_be_visible()
    expect(desk.get_by_role("row").filter(has_text="Pier on Matrix")).to_contain_text("Offline")

    panel.get_by_role("button", name="Pause").click()
    expect(panel.locator(".badge").first).to_have_text("Paused")
    expect(desk.get_by_text("“Pier on Matrix” is paused")).to_be_visible()
    desk.keyboard.press("z")
    expect(panel.get_by_role("button", name="Pause")).to_be_visible()
    expect(panel.locator(".badge").first).to_have_text("Offline")

    panel.get_by_role("button", name="New channel key").click()
    second = desk.get_by_label("Channel key", exact=True).inner_text()
    expect(desk.get_by_text("Waiting for its first call")).to_be_visible()
    assert 200 == call(desk, second, "channel.outbox.pull", {})
    expect(desk.get_by_text("It is here: its first call came")).to_be_visible()
    desk.get_by_role("button", name="I have copied it").click()
    panel.locator("li").filter(has_text=first[:12]).get_by_role("button", name="Revoke").click()
    desk.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(panel.locator(".key-lines li")).to_have_count(1)
    assert [401, 200] == [call(desk, key, "channel.outbox.pull", {}) for key in (first, second)]

    desk.goto("/app/")
    card = desk.locator("#waiting-connections_offline")
    expect(card).to_contain_text("Messenger offline")
    card.click()
    expect(desk).to_have_url(f"{service.url}{PATH}")
    open_panel(desk, "Pier on Matrix")
    panel.get_by_role("button", name="More for this connection").click()
    desk.get_by_role("menuitem", name="Remove connection").click()
    watch.expected = ["404"]  # of a question that was under way while it was removed
    desk.get_by_role("dialog").get_by_role("textbox").fill("Pier on Matrix")
    desk.keyboard.press("Enter")
    expect(desk.get_by_text("“Pier on Matrix” is removed")).to_be_visible()
    expect(desk.get_by_role("row").filter(has_text="Pier on Matrix")).to_have_count(0)
    assert 401 == call(desk, second, "channel.outbox.pull", {})


def test_ones_own_account_on_a_phone(phone: Page, service: Service, watch: Watch) -> None:
    """It asks for no owner; a fault stands at its field; the list of one's own has nothing of the shop's."""
    watch.expected = ["422"]
    phone.goto("/app/account/messengers")
    expect(phone.get_by_role("heading", name="No account of yours yet")).to_be_visible()
    phone.get_by_role("button", name="Connect a messenger").first.tap()
    expect(phone.get_by_text("Whose account")).to_have_count(0)
    phone.get_by_role("button", name="Connect", exact=True).tap()
    expect(phone.get_by_label("Name")).to_have_attribute("aria-invalid", "true")
    phone.get_by_label("Name").fill("Maren on Signal")
    phone.get_by_label("Messenger", exact=True).select_option("Signal")
    phone.get_by_role("button", name="Connect", exact=True).tap()
    phone.get_by_role("button", name="I have copied it").tap()
    row = phone.get_by_role("row").filter(has_text="Maren on Signal")
    expect(row).to_be_visible()
    expect(phone.get_by_role("row").filter(has_text="Demo")).to_have_count(0)
    [account] = service.rows("SELECT account_kind FROM connections WHERE name = 'Maren on Signal'")
    assert ("member",) == account
    phone.goto(PATH)
    expect(phone.get_by_role("row").filter(has_text="Maren on Signal")).to_contain_text("You")
