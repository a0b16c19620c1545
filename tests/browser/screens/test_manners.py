"""Manners of every screen: what is cut off comes by itself, nothing typed is lost, texts can be copied."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from svc.http.screens.assets import STATIC_PATH, built
from tests.browser.screens.conftest import Watch


def refuse(route: Route) -> None:
    """As a connection that is gone."""
    route.abort()


@pytest.fixture
def embeds_module() -> str:
    """The address of the module that the screen of embeds needs, and no screen before it."""
    [screen] = [screen for screen in built().manifest.screens if screen.path == "/app/embeds"]
    return f"**{STATIC_PATH}{screen.scripts[0]}"


def test_a_list_that_failed_comes_by_itself(desk: Page, watch: Watch) -> None:
    """One call fails while the live stream stands: it is asked again when the connection is back."""
    watch.expected = ["ERR_FAILED"]
    desk.goto("/app/submissions")
    expect(desk.get_by_role("row").nth(1)).to_be_visible()
    desk.route("**/api/tools/embed.list", refuse)
    desk.get_by_role("link", name="Embeds").click()
    expect(desk.get_by_role("heading", name="No connection")).to_be_visible()
    desk.unroute("**/api/tools/embed.list")
    desk.evaluate("window.dispatchEvent(new Event('online'))")

    expect(desk.get_by_role("row").nth(1)).to_be_visible()


def test_a_screen_whose_module_cannot_be_had_comes_by_itself(
    desk: Page, watch: Watch, embeds_module: str
) -> None:
    """The page is loaded anew once, says that there is no connection, and goes on when there is one."""
    watch.expected = ["ERR_FAILED"]
    desk.goto("/app/forms")
    expect(desk.get_by_role("link", name="Trade enquiries")).to_be_visible()
    desk.route(embeds_module, refuse)
    desk.get_by_role("link", name="Embeds").click()
    expect(desk.get_by_role("heading", level=1, name="No connection")).to_be_visible()
    desk.unroute(embeds_module)
    desk.evaluate("window.dispatchEvent(new Event('online'))")

    expect(desk.get_by_role("heading", level=1, name="Embeds")).to_be_visible()


def test_a_slow_module_does_not_leave_the_old_screen_under_the_new_name(
    desk: Page, embeds_module: str
) -> None:
    """After a moment there is a skeleton."""
    waiting: list[Route] = []

    def keep(route: Route) -> None:
        waiting.append(route)

    desk.goto("/app/forms")
    expect(desk.get_by_role("link", name="Trade enquiries")).to_be_visible()
    desk.route(embeds_module, keep)
    desk.get_by_role("link", name="Embeds").click()
    expect(desk.get_by_role("main").get_by_role("status", name="Loading")).to_be_visible()
    expect(desk.get_by_role("link", name="Trade enquiries")).to_have_count(0)
    waiting[0].continue_()

    expect(desk.get_by_role("heading", level=1, name="Embeds")).to_be_visible()


def test_words_in_a_dialog_outlive_the_session(desk: Page, watch: Watch) -> None:
    """Signing in again stands over the dialog, and what was typed is still in it."""
    watch.expected = ["401"]
    desk.goto("/app/settings/teams?new=1")
    desk.get_by_label("Name").fill("Night watch")
    desk.context.clear_cookies()
    desk.get_by_role("dialog").get_by_role("button", name="Create team").click()

    expect(desk.get_by_role("dialog", name="Sign in again")).to_be_visible()
    expect(desk.locator("input.control").first).to_have_value("Night watch")
    desk.evaluate("window.onbeforeunload = null")


def test_texts_of_rows_can_be_marked(desk: Page) -> None:
    """Marking an address opens nothing; a click beside it does."""
    desk.goto("/app/submissions")
    mail = desk.get_by_text("ines.duarte@example.com")
    box = mail.bounding_box()
    assert box is not None
    desk.mouse.move(box["x"] + 1, box["y"] + box["height"] / 2)
    desk.mouse.down()
    desk.mouse.move(box["x"] + box["width"] - 1, box["y"] + box["height"] / 2, steps=5)
    desk.mouse.up()
    assert "duarte" in desk.evaluate("getSelection().toString()")
    expect(desk).to_have_url(re.compile(r"/app/submissions$"))
    desk.mouse.click(box["x"] + 600, 60)
    desk.get_by_role("row").filter(has_text="ines.duarte").get_by_text("Held").click()

    expect(desk).to_have_url(re.compile(r"open=sub_"))


def test_select_all_says_how_many(desk: Page) -> None:
    """It is what is loaded, not all that there are."""
    desk.goto("/app/submissions?state=Held")

    expect(desk.get_by_label(re.compile(r"Select the \d+ that are loaded"))).to_be_visible()


def test_a_page_of_nothing_has_a_title_and_a_heading(desk: Page) -> None:
    """As any other page has."""
    desk.goto("/app/nothing/here")

    expect(desk.get_by_role("heading", level=1, name="There is nothing here")).to_be_visible()
    expect(desk).to_have_title(re.compile("There is nothing here"))


def test_a_reload_after_a_key_was_shown_opens_no_dialog(desk: Page) -> None:
    """The key is gone; asking for a new one is another thing."""
    desk.goto("/app/settings/server-keys?new=1")
    desk.get_by_label("Name").fill("Reloaded server")
    desk.keyboard.press("Enter")
    expect(desk.get_by_label("Key", exact=True)).to_contain_text("sk_live_")
    desk.reload()

    expect(desk.get_by_role("row").filter(has_text="Reloaded server")).to_be_visible()
    expect(desk.get_by_role("dialog")).to_have_count(0)
