"""Embeds by keys alone, and their editor while sessions end, tabs are stale and connections break."""

import json
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.places import Service
from tests.browser.screens.conftest import Watch, sign_in

_SIGN_OUT = """async () => {
  const { csrfToken } = await (await fetch("/app/api/session")).json();
  await fetch("/app/api/sign-out", { method: "POST", headers: { "X-CSRF-Token": csrfToken } });
}"""
_TABS_MOST = 60


def tab_to(page: Page, wanted: Locator) -> None:
    """Go to *wanted* by the Tab key alone."""
    expect(wanted).to_be_visible()
    for _ in range(_TABS_MOST):
        if wanted.evaluate("(element) => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not come to {wanted}")


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def stored(service: Service, name: str) -> list[Any]:
    """The blocks of each embed of that *name*, and its status."""
    rows = service.rows("SELECT blocks, status FROM embeds WHERE name = ?", name)
    return [(json.loads(blocks), status) for blocks, status in rows]


def open_new(page: Page, name: str) -> None:
    """An embed of that *name* with a hero that is not saved yet."""
    page.goto("/app/embeds?new=1")
    page.get_by_label("Name").fill(name)
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Add block").click()
    page.get_by_role("menuitem", name="Hero").click()
    page.get_by_label("Title", exact=True).fill("Meet us")


def test_an_embed_by_keys_alone(desk: Page, service: Service) -> None:
    """Made, filled, put in order, saved, found again, paused and resumed without a pointer."""
    desk.goto("/app/embeds")
    expect(desk.get_by_role("link", name="Price list")).to_be_visible()
    press(desk, "c")
    desk.keyboard.type("Keys only")
    press(desk, "Enter")
    expect(desk.get_by_role("heading", name="Keys only", level=1)).to_be_focused()
    for kind, downs, tabs in (("Hero", 0, 0), ("Text", 1, 1)):
        tab_to(desk, desk.get_by_role("button", name="Add block"))
        press(desk, "Enter")
        expect(desk.get_by_role("menuitem", name="Hero")).to_be_focused()
        press(desk, *["ArrowDown"] * downs, "Enter")
        expect(desk.locator(".block input:focus")).to_have_count(1)
        press(desk, *["Tab"] * tabs)
        desk.keyboard.type(f"A {kind} of ours")
    desk.get_by_role("button", name="Edit block 2: Text").focus()
    press(desk, "Alt+ArrowUp")
    expect(desk.get_by_text("Now block 1 of 2")).to_be_attached()
    tab_to(desk, desk.get_by_role("button", name="Save"))
    press(desk, "Enter")
    expect(desk.get_by_text("Nothing changed.")).to_be_visible()
    press(desk, "Escape", "Escape")
    expect(desk).to_have_url(f"{service.url}/app/embeds")
    expect(desk.get_by_role("link", name="Price list")).to_be_visible()
    press(desk, "/")
    desk.keyboard.type("keys")
    expect(desk.get_by_role("row")).to_have_count(2)
    expect(desk).to_have_url(f"{service.url}/app/embeds?q=keys")
    tab_to(desk, desk.get_by_role("link", name="Keys only"))
    press(desk, "Enter")
    tab_to(desk, desk.get_by_role("button", name="Pause"))
    press(desk, "Enter")
    expect(desk.get_by_text("“Keys only” is paused")).to_be_visible()
    expect(desk.get_by_role("button", name="Resume")).to_be_visible()
    [(blocks, status)] = stored(service, "Keys only")

    assert (["text", "hero"], "paused") == ([block["type"] for block in blocks], status)
    press(desk, "z")
    expect(desk.get_by_role("button", name="Pause")).to_be_visible()


def test_an_object_is_found_and_let_into_embeds_by_keys_alone(desk: Page) -> None:
    """`/` narrows the list, the address has it; the switch is turned by Space, and `Z` turns it back."""
    desk.goto("/app/settings/objects")
    expect(desk.get_by_role("link", name="Lamps", exact=True)).to_be_visible()
    press(desk, "/")
    desk.keyboard.type("zzz")
    expect(desk.get_by_text("Nothing found for “zzz”")).to_be_visible()
    press(desk, "Escape")
    expect(desk.get_by_role("link", name="Lamps", exact=True)).to_be_visible()
    press(desk, "/")
    desk.keyboard.type("compan")
    expect(desk.get_by_role("row")).to_have_count(2)
    desk.reload()
    expect(desk.get_by_role("row")).to_have_count(2)
    tab_to(desk, desk.get_by_role("link", name="Companies"))
    press(desk, "Enter")
    switch = desk.get_by_role("switch", name="This object may appear in embeds")
    tab_to(desk, switch)
    press(desk, "Space")
    expect(desk.get_by_text("Companies may appear in embeds now")).to_be_visible()
    expect(switch).to_be_checked()
    press(desk, "z")
    expect(switch).not_to_be_checked()


def test_a_session_that_ends_while_an_embed_is_built_loses_nothing(
    stranger: Page, service: Service, watch: Watch
) -> None:
    """The person signs in over the editor, and the same press of Save saves what they made."""
    watch.expected = ["401", "403"]
    sign_in(stranger, service)
    open_new(stranger, "Interrupted")
    stranger.evaluate(_SIGN_OUT)
    # Not by the pointer: the end of the stream may have brought up the dialog already.
    stranger.get_by_role("button", name="Save").dispatch_event("click")
    dialog = stranger.get_by_role("dialog", name="Sign in again")
    dialog.get_by_label("Password", exact=True).fill(service.facts["owner"]["password"])
    stranger.keyboard.press("Enter")
    expect(stranger.get_by_text("Nothing changed.")).to_be_visible()

    [(blocks, _)] = stored(service, "Interrupted")
    assert ["Meet us"] == [block["title"] for block in blocks]


@pytest.mark.parametrize("is_live", [False, True])
def test_a_save_whose_answer_was_lost_is_made_once(
    desk: Page, service: Service, watch: Watch, *, is_live: bool
) -> None:
    """It is the same save when it is tried again; where a hint tells of it, there is nothing left to save."""
    watch.expected = ["ERR_", "net::", "503"]
    name, keys = f"Cut off, live {is_live}", list[str]()
    if not is_live:
        desk.route("**/app/api/events?*", lambda route: route.fulfill(status=503))

    def lose_first_answer(route: Route) -> None:
        keys.append(route.request.headers["idempotency-key"])
        answer = route.fetch()
        if len(keys) == 1:
            route.abort("connectionreset")
        else:
            route.fulfill(response=answer)

    open_new(desk, name)
    desk.route("**/app/api/tools/embed.update", lose_first_answer)
    save = desk.get_by_role("button", name="Save")
    save.dblclick()
    if not is_live:
        expect(desk.get_by_role("alert").filter(has_text="There is no connection")).to_be_visible()
        expect(desk.get_by_label("Title", exact=True)).to_have_value("Meet us")
        save.dblclick()
    expect(desk.get_by_text("Nothing changed.")).to_be_visible()
    expect(desk.get_by_role("alert")).to_have_count(0)

    assert (1 if is_live else 2, 1) == (len(keys), len(set(keys)))
    [(blocks, _)] = stored(service, name)
    assert ["Meet us"] == [block["title"] for block in blocks]
    [(version,)] = service.rows("SELECT version FROM embeds WHERE name = ?", name)
    assert 2 == version


def test_a_stale_tab_does_not_save_over_a_newer_one(desk: Page, service: Service, watch: Watch) -> None:
    """A tab that heard of nothing is refused, shows whose is whose, and keeps what was made in it."""
    watch.expected = ["409", "412", "503"]
    open_new(desk, "Two tabs")
    desk.get_by_role("button", name="Save").click()
    expect(desk.get_by_text("Nothing changed.")).to_be_visible()
    stale = desk.context.new_page()
    stale.goto(desk.url)
    stale.get_by_label("Subtitle").fill("In the stale tab")
    stale.route("**/app/api/tools/embed.get", lambda route: route.fulfill(status=503))
    desk.get_by_label("Title", exact=True).fill("Meet us soon")
    with stale.expect_response("**/app/api/tools/embed.get"):  # it heard of the change, and could not read it
        desk.get_by_role("button", name="Save").click()
    expect(desk.get_by_text("Nothing changed.")).to_be_visible()
    stale.unroute("**/app/api/tools/embed.get")
    stale.get_by_role("button", name="Save").click()
    expect(stale.get_by_role("alert").filter(has_text="changed elsewhere")).to_contain_text("block 1 changed")
    expect(stale.get_by_label("Subtitle")).to_have_value("In the stale tab")

    [(blocks, _)] = stored(service, "Two tabs")
    assert ["Meet us soon"] == [block["title"] for block in blocks]
