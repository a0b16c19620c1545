"""How a screen comes: the one before stays until the next can be drawn once, with what it shows."""

from typing import Final

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.places import Service

_LIST: Final = "**/app/api/tools/submission.list"
TRIES: Final = 200
_ANSWERS_MS: Final = 150
"""A screen whose answers take longer is shown without them."""
_FIRST_ROWS: Final = """
    const seen = new MutationObserver(() => {
      if (!document.querySelector("tbody tr")) return;
      seen.disconnect();
      requestAnimationFrame(() => { window.firstRows = document.querySelectorAll("tbody tr").length; });
    });
    seen.observe(document, { childList: true, subtree: true });
"""
_HINT: Final = """() => {
    const { organization } = JSON.parse(document.getElementById("boot").textContent);
    new BroadcastChannel(`svc-events-${organization.id}`).postMessage({ noun: "submission" });
}"""


class _Held:
    """Answers of the list of submissions, kept back."""

    def __init__(self, page: Page) -> None:
        self.asked = 0
        self._waiting: list[Route] | None = []
        page.route(_LIST, self._hold)

    def _hold(self, route: Route) -> None:
        self.asked += 1
        if self._waiting is None:
            route.continue_()
        else:
            self._waiting.append(route)

    def release(self) -> None:
        """Let those go that wait, and all that come."""
        waiting, self._waiting = self._waiting or [], None
        for route in waiting:
            route.continue_()


@pytest.fixture
def held(desk: Page) -> _Held:
    """At the forms, with the page's clock stopped."""
    desk.clock.install()
    desk.goto("/app/forms")
    expect(desk.get_by_role("heading", name="Forms", level=1)).to_be_visible()
    desk.clock.pause_at(desk.evaluate("Date.now() + 1000"))
    return _Held(desk)


def _link(page: Page, name: str) -> Locator:
    return page.get_by_role("navigation", name="Main").get_by_role("link", name=name)


def _give_up_waiting(page: Page, name: str) -> None:
    """Let the time pass that answers have; and what a screen needs to be drawn once its module is there."""
    for _ in range(TRIES):
        page.clock.run_for(_ANSWERS_MS)
        if page.get_by_role("heading", name=name, level=1).is_visible():
            return
    pytest.fail(f"{name} is not shown")


def test_the_one_before_stays_until_the_rows_are_there(desk: Page, held: _Held) -> None:
    """The navigation says at once where one is going; nothing is asked twice, and no skeleton is seen."""
    _link(desk, "Submissions").click()
    expect(_link(desk, "Submissions")).to_have_attribute("aria-current", "page")
    expect(desk.get_by_role("heading", name="Forms", level=1)).to_be_visible()
    desk.evaluate("""() => {
        window.skeletons = 0;
        new MutationObserver(() => { window.skeletons += document.querySelectorAll(".skeleton").length; })
          .observe(document.body, { childList: true, subtree: true });
    }""")
    held.release()
    expect(desk.locator("tbody tr").first).to_be_visible()

    expect(desk.get_by_role("heading", name="Submissions", level=1)).to_be_focused()
    assert (1, 0) == (held.asked, desk.evaluate("window.skeletons"))


def test_a_slow_answer_is_not_waited_for(desk: Page, held: _Held) -> None:
    """After 150 ms the screen is there without its rows, which it does not ask for again."""
    _link(desk, "Submissions").click()
    _give_up_waiting(desk, "Submissions")
    expect(desk.get_by_role("heading", name="Submissions", level=1)).to_be_focused()
    expect(desk.locator(".skeleton")).to_have_count(1)
    desk.clock.resume()
    held.release()
    expect(desk.locator("tbody tr").first).to_be_visible()

    assert held.asked == 1


def test_a_person_who_goes_on_is_not_fetched_back(desk: Page, held: _Held) -> None:
    """The screen of the last click is shown, whatever comes of the one before."""
    _link(desk, "Submissions").click()
    _link(desk, "Embeds").click()
    held.release()
    expect(desk.get_by_role("heading", name="Embeds", level=1)).to_be_focused()
    desk.clock.run_for(_ANSWERS_MS)

    expect(desk.get_by_role("heading", name="Embeds", level=1)).to_be_visible()
    assert desk.url.endswith("/app/embeds")


def test_what_changes_on_the_way_is_asked_again(desk: Page, held: _Held) -> None:
    """An answer that was asked for before a hint is not shown as the newest."""
    with desk.expect_request(_LIST):
        _link(desk, "Submissions").click()
    desk.evaluate(_HINT)
    _give_up_waiting(desk, "Submissions")
    expect(desk.get_by_role("heading", name="Submissions", level=1)).to_be_focused()
    held.release()
    expect(desk.locator("tbody tr").first).to_be_visible()

    assert held.asked == 2


def test_rows_below_the_window_are_drawn_after_those_in_it(desk: Page, service: Service) -> None:
    """The first frame has no more than the window can show; the rest follows by itself."""
    [(wanted,)] = service.rows("SELECT count(*) FROM submissions")
    desk.set_viewport_size({"width": 1280, "height": 120})
    desk.add_init_script(_FIRST_ROWS)
    desk.goto("/app/submissions")

    expect(desk.locator("tbody tr")).to_have_count(wanted)
    assert 0 < desk.evaluate("window.firstRows") <= 120 / 40 < wanted
