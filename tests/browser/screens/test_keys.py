"""Settings › Developers › API keys, server keys, and AI Gateway › Keys."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, Route, expect

from tests.browser.places import Service
from tests.browser.screens.conftest import Watch


def _keys_used(desk: Page) -> int:
    """How many of the organization's keys the list counts, once it is there."""
    count = desk.get_by_text(re.compile(r"^\d+ of 20 used$"))
    expect(count).to_be_visible()
    return int(count.inner_text().split()[0])


def test_an_api_key_is_made_shown_once_and_revoked_by_keys_alone(desk: Page, service: Service) -> None:
    """`C` opens, typing and Enter make it, it is shown once and works; revoking asks, by name."""
    desk.goto("/app/settings/api-keys")
    used = _keys_used(desk)
    desk.keyboard.press("c")
    expect(desk).to_have_url(f"{service.url}/app/settings/api-keys?new=1")
    assert desk.get_by_role("radio", name="90 days").is_checked()
    desk.keyboard.type("Night <b>train</b>")
    desk.keyboard.press("Tab")
    desk.keyboard.press("ArrowRight")
    desk.keyboard.press("Enter")
    secret = desk.get_by_label("Key", exact=True).inner_text()
    answer = desk.request.post(
        f"{service.url}/api/v1/tools/organization.get", data={}, headers={"Authorization": f"Bearer {secret}"}
    )
    assert 200 == answer.status
    desk.keyboard.press("Enter")

    row = desk.get_by_role("row").filter(has_text="Night <b>train</b>")
    expect(row).to_contain_text("Owner")
    expect(row).to_contain_text("All tools the role allows")
    expect(desk.get_by_text(f"{used + 1} of 20 used")).to_be_visible()
    expect(desk.get_by_text(secret)).to_have_count(0)
    row.get_by_role("button", name="Revoke").focus()
    desk.keyboard.press("Enter")
    expect(desk.get_by_role("dialog", name="Revoke “Night <b>train</b>”?")).to_be_visible()
    desk.keyboard.press("Enter")
    expect(row).to_have_count(0)
    expect(desk.get_by_text(f"{used} of 20 used")).to_be_visible()
    expect(desk.get_by_text("“Night <b>train</b>” is revoked")).to_be_visible()


def test_a_key_on_a_phone(phone: Page, watch: Watch) -> None:
    """The same by touch: the fault of an empty name stands at the field, and what was typed stays."""
    watch.expected = ["422"]
    phone.goto("/app/settings/gateway-keys")
    phone.get_by_role("button", name="New gateway key").tap()
    phone.get_by_role("button", name="Create key").tap()
    name = phone.get_by_label("Key name")
    expect(name).to_have_attribute("aria-invalid", "true")
    expect(name).to_be_focused()
    name.fill("Chat on the site")
    phone.get_by_role("button", name="Create key").tap()
    expect(phone.get_by_label("Key", exact=True)).to_contain_text("svcg_")
    phone.get_by_role("button", name="I have copied it").tap()
    row = phone.get_by_role("row").filter(has_text="Chat on the site")
    expect(row).to_contain_text("ai.gateway")
    row.get_by_role("button", name="Revoke").tap()
    phone.get_by_role("dialog").get_by_role("button", name="Revoke").tap()
    expect(row).to_have_count(0)


def test_a_server_key_is_made_and_revoked(desk: Page) -> None:
    """It starts with `sk_live_`, and the list never has all of it."""
    desk.goto("/app/settings/server-keys")
    desk.get_by_role("button", name="New server key").first.click()
    desk.get_by_label("Name").fill("Shop server 2")
    desk.keyboard.press("Enter")
    secret = desk.get_by_label("Key", exact=True).inner_text()
    assert secret.startswith("sk_live_")
    desk.keyboard.press("Enter")
    row = desk.get_by_role("row").filter(has_text="Shop server 2")
    expect(row).to_contain_text(secret[:12])
    row.get_by_role("button", name="Revoke").click()
    desk.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(row).to_have_count(0)


def test_a_sign_in_that_is_old_is_confirmed_in_place(desk: Page, service: Service, watch: Watch) -> None:
    """The password is asked over the form, a wrong one is told, and the key is made with what was typed."""
    watch.expected = ["403", "401"]
    desk.route("**/app/api/tools/apikey.mint", _refuse_once())
    desk.goto("/app/settings/api-keys?new=1")
    desk.get_by_label("Name").fill("Confirmed")
    desk.keyboard.press("Enter")
    dialog = desk.get_by_role("dialog", name="Confirm that it is you")
    dialog.get_by_label("Password", exact=True).fill("not the password")
    desk.keyboard.press("Enter")
    expect(dialog.get_by_role("alert")).to_be_visible()
    dialog.get_by_label("Password", exact=True).fill(service.facts["owner"]["password"])
    desk.keyboard.press("Enter")
    expect(desk.get_by_label("Key", exact=True)).to_contain_text("svck_")
    desk.get_by_role("button", name="I have copied it").click()
    row = desk.get_by_role("row").filter(has_text="Confirmed")
    row.get_by_role("button", name="Revoke").click()
    desk.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(row).to_have_count(0)


def _refuse_once() -> Callable[[Route], None]:
    """Answer the first call as the service does two hours after the sign-in; pass on the others."""
    calls: list[Route] = []
    title = "Confirm who you are first"
    problem = {"type": "/problems/x", "title": title, "status": 403, "code": "confirmation_required"}

    def handle(route: Route) -> None:
        calls.append(route)
        if len(calls) > 1:
            route.continue_()
        else:
            route.fulfill(status=403, content_type="application/problem+json", json=problem)

    return handle


def test_a_key_that_another_door_revokes_is_gone_at_once(desk: Page, service: Service) -> None:
    """The live stream hints that keys have changed, and the list asks again without being told to."""
    desk.goto("/app/settings/api-keys")
    _keys_used(desk)
    desk.wait_for_timeout(300)
    other = desk.context.new_page()
    other.goto("/app/settings/api-keys?new=1")
    other.get_by_label("Name").fill("From another tab")
    other.keyboard.press("Enter")
    other.get_by_role("button", name="I have copied it").click()

    expect(desk.get_by_role("row").filter(has_text="From another tab")).to_be_visible(timeout=2_000)
