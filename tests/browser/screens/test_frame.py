"""The frame, and what every screen does: keys, palette, Back, lost connections, ended sessions."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Request, Route, expect

from tests.browser.places import Service
from tests.browser.screens.conftest import Watch, sign_in


def _open_forms(page: Page) -> None:
    page.goto("/app/forms")
    expect(page.get_by_role("link", name="Trade enquiries")).to_be_visible()


def run_until(page: Page, is_so: Callable[[], bool]) -> None:
    """Let the page's own clock run, a second at a time, until *is_so*."""
    for _ in range(90):
        if is_so():
            return
        page.clock.run_for(1_000)
    pytest.fail("it never came to that")


def test_keys_go_everywhere_and_can_be_switched_off(desk: Page, service: Service) -> None:
    """`G S` goes, `?` lists, Ctrl K finds and opens; switched off, single keys do nothing."""
    _open_forms(desk)
    desk.keyboard.press("g")
    desk.keyboard.press("s")
    expect(desk.get_by_role("heading", name="Organization", level=1)).to_be_focused()
    desk.keyboard.press("Control+k")
    expect(desk.get_by_role("combobox", name="Go to, find or do")).to_be_focused()
    desk.keyboard.type("sess")
    expect(desk.get_by_role("dialog").get_by_role("option", selected=True)).to_contain_text("Sessions")
    desk.keyboard.press("Enter")
    expect(desk).to_have_url(f"{service.url}/app/account/sessions")
    expect(desk.get_by_role("heading", name="Sessions")).to_be_visible()
    desk.keyboard.press("Shift+?")
    dialog = desk.get_by_role("dialog", name="Keys")
    expect(dialog).to_contain_text("Go to Forms")
    dialog.get_by_role("switch", name="Single keys work").uncheck()
    desk.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    desk.keyboard.press("g")
    desk.keyboard.press("f")
    desk.keyboard.press("Control+k")
    expect(desk.get_by_role("combobox")).to_be_focused()
    expect(desk).to_have_url(f"{service.url}/app/account/sessions")


def test_the_account_menu_by_keys(desk: Page) -> None:
    """Arrows move within it, letters are not taken for keys of the page, Esc gives the focus back."""
    _open_forms(desk)
    button = desk.get_by_role("button", name="Maren Holt, account")
    button.focus()
    desk.keyboard.press("Enter")
    expect(desk.get_by_role("menuitem", name="Profile")).to_be_focused()
    desk.keyboard.press("ArrowUp")
    desk.keyboard.press("ArrowUp")
    desk.keyboard.press("Enter")
    expect(desk.locator("html")).to_have_attribute("data-theme", "dark")
    desk.reload()
    expect(desk.locator("html")).to_have_attribute("data-theme", "dark")
    button.focus()
    desk.keyboard.press("Enter")
    expect(desk.get_by_role("menuitem", name="Profile")).to_be_focused()
    desk.keyboard.press("End")
    expect(desk.get_by_role("menuitem", name="Sign out")).to_be_focused()
    desk.keyboard.press("Escape")

    expect(button).to_be_focused()


def test_back_returns_to_the_row_that_was_opened(desk: Page) -> None:
    """The focus is on the row's link again, and the page says where one is."""
    _open_forms(desk)
    desk.get_by_role("link", name="Summer sale").click()
    expect(desk.get_by_role("heading", name="Summer sale")).to_be_focused()
    expect(desk).to_have_title(re.compile(r"^(\(\d+\) )?Summer sale · Harbour Lamps$"))
    desk.go_back()

    expect(desk.get_by_role("link", name="Summer sale")).to_be_focused()
    desk.keyboard.press("j")
    expect(desk.get_by_role("link", name="Lamp of the month")).to_be_focused()


def test_an_address_that_is_none_says_so(phone: Page) -> None:
    """An unknown screen and an unknown form have a way on."""
    phone.goto("/app/nothing/here")
    expect(phone.get_by_role("heading", name="There is nothing here")).to_be_visible()
    phone.get_by_role("link", name="Go to the start").tap()
    expect(phone.get_by_role("heading", name="Waiting for you")).to_be_visible()


def test_a_write_whose_answer_was_lost_is_not_doubled(desk: Page, service: Service, watch: Watch) -> None:
    """The connection breaks after the service has written; trying again finds the first one."""
    watch.expected = ["ERR_", "net::"]
    keys: list[str] = []

    def lose_first_answer(route: Route) -> None:
        keys.append(route.request.headers["idempotency-key"])
        answer = route.fetch()
        if len(keys) == 1:
            route.abort("connectionreset")
        else:
            route.fulfill(response=answer)

    desk.route("**/app/api/tools/form.create", lose_first_answer)
    desk.goto("/app/forms?new=1")
    desk.get_by_label("Name", exact=True).fill("Only once")
    desk.keyboard.press("Enter")
    expect(desk.get_by_role("alert")).to_contain_text("There is no connection")
    expect(desk.get_by_label("Name", exact=True)).to_have_value("Only once")
    desk.get_by_role("button", name="Create form").dblclick()
    expect(desk.get_by_role("heading", name="Only once")).to_be_visible()

    assert 2 == len(keys)
    assert 1 == len(set(keys))
    assert [(1,)] == service.rows("SELECT count(*) FROM forms WHERE name = 'Only once'")


def test_a_failure_shows_its_request(desk: Page, watch: Watch) -> None:
    """A fault of the service is shown with the id under which it is in the log, and can be tried again."""
    watch.expected = ["500"]
    problem = {
        "title": "Something failed on our side",
        "status": 500,
        "code": "internal",
        "requestId": "req-7",
    }
    desk.route(
        "**/app/api/tools/organization.get",
        lambda route: route.fulfill(status=500, content_type="application/problem+json", json=problem),
    )
    _open_forms(desk)
    desk.keyboard.press("g")
    desk.keyboard.press("s")
    expect(desk.get_by_text("req-7")).to_be_visible()
    desk.unroute("**/app/api/tools/organization.get")
    desk.get_by_role("button", name="Try again").click()

    expect(desk.get_by_role("heading", name="Organization", level=1)).to_be_visible()


def test_a_session_that_ends_in_mid_save_is_renewed_in_place(
    stranger: Page, service: Service, watch: Watch
) -> None:
    """The person signs in over the page, and what they typed is saved by the same press of Save."""
    watch.expected = ["401", "403"]
    desk = stranger
    sign_in(desk, service)
    _open_forms(desk)
    desk.get_by_role("link", name="Enquiry of last year").click()
    desk.get_by_role("navigation", name="Parts of the form").get_by_role("link", name="Settings").click()
    desk.get_by_label("Name", exact=True).fill("Enquiry of two years ago")
    desk.evaluate(
        """async () => {
          const { csrfToken } = await (await fetch("/app/api/session")).json();
          await fetch("/app/api/sign-out", { method: "POST", headers: { "X-CSRF-Token": csrfToken } });
        }"""
    )
    desk.get_by_role("button", name="Save").click()
    dialog = desk.get_by_role("dialog", name="Sign in again")
    dialog.get_by_label("Password", exact=True).fill(service.facts["owner"]["password"])
    desk.keyboard.press("Enter")

    expect(desk.get_by_text("Saved")).to_be_visible()
    expect(desk.get_by_role("heading", name="Enquiry of two years ago")).to_be_visible()


def test_a_stale_tab_goes_on_with_the_newer_session(stranger: Page, service: Service, watch: Watch) -> None:
    """After signing in anew in another tab, the first one's next write is made with that session."""
    watch.expected = ["403", "401"]
    sign_in(stranger, service)
    _open_forms(stranger)
    stranger.get_by_role("link", name="Summer sale").click()
    expect(stranger.get_by_role("button", name="Resume")).to_be_visible()
    context = stranger.context.request
    answer = context.post(f"{service.url}/app/api/sign-in", data=service.facts["owner"])
    assert 200 == answer.status
    stranger.get_by_role("button", name="Resume").click()
    expect(stranger.get_by_text("“Summer sale” takes submissions again")).to_be_visible()
    stranger.keyboard.press("z")

    expect(stranger.get_by_role("button", name="Resume")).to_be_visible()


def test_an_organization_of_others_is_closed(desk: Page) -> None:
    """An address that names one says so, and leads back to one's own."""
    desk.goto("/app/forms?org=org_01K5D3V7Q2M8Z4X6C9B1N0T5RA")
    expect(desk.get_by_role("heading", name="You are not a member of this organization")).to_be_visible()
    desk.get_by_role("button", name="Harbour Lamps").click()

    expect(desk.get_by_role("heading", name="Waiting for you")).to_be_visible()


def test_while_cut_off_the_page_says_so_and_asks_from_time_to_time(desk: Page, watch: Watch) -> None:
    """Without the stream the list still follows, and the word goes when the stream is back."""
    watch.expected = ["503"]
    desk.clock.install()
    asked: list[Request] = []
    desk.on("request", lambda request: asked.append(request) if request.url.endswith("/form.list") else None)
    desk.route("**/app/api/events?*", lambda route: route.fulfill(status=503, headers={"Retry-After": "5"}))
    _open_forms(desk)
    word = desk.get_by_text("Not connected live.")
    run_until(desk, word.is_visible)
    before = len(asked)
    run_until(desk, lambda: len(asked) > before)
    desk.unroute("**/app/api/events?*")
    run_until(desk, lambda: not word.is_visible())


def test_a_page_is_mirrored(desk: Page) -> None:
    """Right to left, the navigation stands at the right and the page's actions at the left."""
    _open_forms(desk)
    desk.evaluate("document.documentElement.dir = 'rtl'")
    navigation = desk.get_by_role("navigation", name="Main").bounding_box()
    action = desk.get_by_role("button", name="New form").bounding_box()
    heading = desk.get_by_role("heading", name="Forms").bounding_box()
    assert navigation
    assert action
    assert heading

    assert navigation["x"] > 1_000
    assert action["x"] < heading["x"]


def test_reduced_motion_is_honoured(desk: Page) -> None:
    """What moves otherwise, a busy button and the skeleton, does so for a millisecond."""
    _open_forms(desk)
    moving = """() => ["spinner", "skeleton"].map((name) => {
      const element = document.body.appendChild(document.createElement("div"));
      element.className = name;
      return getComputedStyle(element).animationDuration;
    })"""

    assert ["0.001s", "0.001s"] == desk.evaluate(moving)
    desk.emulate_media(reduced_motion="no-preference")
    assert ["0.7s", "0.12s"] == desk.evaluate(moving)
