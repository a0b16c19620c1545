"""The operator's live view in a browser: signing in, what moves, one actor, on a desk and on a phone."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from tests.browser.places import WAIT_SECONDS, Service, service_with_demo

AXE: Final = Path(__file__).parents[2] / "screens/node_modules/axe-core/axe.min.js"
DESK: Final[Any] = {"width": 1280, "height": 800}
PHONE: Final[Any] = {"width": 390, "height": 844}
STATE: Final = "header [role=status]"
WIDEST: Final = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


def _context(browser: Browser, service: Service, **how: Any) -> BrowserContext:
    context = browser.new_context(base_url=service.facts["operatorUrl"], reduced_motion="reduce", **how)
    context.set_default_timeout(WAIT_SECONDS * 1_000)
    return context


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service_with_demo(tmp_path_factory.mktemp("operator")) as service:
        yield service


@pytest.fixture
def operator(browser: Browser, service: Service) -> Iterator[Page]:
    """A page that has signed in; it fails on a console error and on an uncaught one."""
    complaints: list[str] = []
    context = _context(browser, service, viewport=DESK)
    page = context.new_page()
    page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    _sign_in(page, service)
    yield page
    context.close()

    # The browser itself reports the answer for an actor that has left.
    assert [] == [text for text in complaints if "404 (Not Found)" not in text]


def _sign_in(page: Page, service: Service) -> None:
    page.goto("/debug")
    page.get_by_label("Operator’s token").fill(service.facts["operatorToken"])
    page.keyboard.press("Enter")
    expect(page.locator(STATE)).to_have_text("Live")


def _row(page: Page, key: str) -> Any:
    return page.get_by_role("table", name="Actors", exact=True).get_by_role("row", name=key)


def _visit(page: Page, service: Service) -> None:
    """Have a form's window awake."""
    page.request.get(f"{service.url}/api/e/{service.facts['embedKey']}")


def test_signing_in_with_a_wrong_token_first(browser: Browser, service: Service) -> None:
    """The form says so and keeps the focus in reach; the right one leads to what is live."""
    context = _context(browser, service, viewport=DESK)
    page = context.new_page()
    page.goto("/debug")
    page.get_by_label("Operator’s token").fill("a guess")
    page.get_by_role("button", name="Sign in").click()

    expect(page.get_by_role("alert")).to_have_text("This is not the operator’s token.")
    _sign_in(page, service)
    expect(page.get_by_role("heading", name="Actors", exact=True)).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Operator’s token")).to_be_visible()
    context.close()


def test_what_becomes_active_appears_by_itself(operator: Page, service: Service) -> None:
    """An actor that a request wakes is listed within seconds, and its kind is lit."""
    operator.get_by_role("button", name="EmbedCache").click()
    expect(operator).to_have_url(re.compile(r"kind=EmbedCache"))
    _visit(operator, service)

    expect(_row(operator, service.facts["embedKey"])).to_be_visible()
    kind = operator.get_by_role("row", name=re.compile("EmbedCache 1 "))
    expect(kind).to_be_visible()


def test_the_address_is_the_state(operator: Page, service: Service) -> None:
    """A link shows the same kind, search and open actor; Back closes it."""
    _visit(operator, service)
    operator.get_by_label("Find by key").fill(service.facts["embedKey"][3:])
    _row(operator, service.facts["embedKey"]).get_by_role("button").click()
    expect(operator.get_by_role("complementary")).to_contain_text("Last turns")
    operator.reload()
    expect(operator.get_by_role("complementary")).to_contain_text("Last turns")
    expect(operator.get_by_label("Find by key")).to_have_value(service.facts["embedKey"][3:])
    operator.go_back()

    expect(operator.get_by_role("complementary")).to_have_count(0)


def test_an_actor_is_looked_at_by_keys_and_followed(operator: Page, service: Service) -> None:
    """Enter opens it with the focus in it, what it does next is shown, Escape gives the focus back."""
    _visit(operator, service)
    button = _row(operator, service.facts["embedKey"]).get_by_role("button")
    button.focus()
    operator.keyboard.press("Enter")
    panel = operator.get_by_role("complementary")
    expect(panel.get_by_role("heading", level=2)).to_be_focused()
    expect(panel.get_by_role("heading", name="State")).to_be_visible()
    panel.get_by_role("button", name="Follow").click()
    expect(panel.get_by_text("Waiting for its next turn.")).to_be_visible()
    panel.get_by_role("button", name="Refresh").click()
    followed = panel.locator("section", has_text="Turns as they end")
    expect(followed.get_by_role("row", name=re.compile("^snapshot"))).to_be_visible()
    panel.get_by_role("button", name="Stop following").click()
    expect(panel.get_by_role("button", name="Follow", exact=True)).to_be_visible()
    panel.get_by_role("heading", level=2).focus()
    operator.keyboard.press("Escape")

    expect(panel).to_have_count(0)
    expect(button).to_be_focused()


def test_an_idle_actor_is_passivated_after_a_question(operator: Page, service: Service) -> None:
    """It says what becomes of it; Cancel changes nothing, and then it is gone from the list by itself."""
    _visit(operator, service)
    _row(operator, service.facts["embedKey"]).get_by_role("button").click()
    panel = operator.get_by_role("complementary")
    panel.get_by_role("button", name="Passivate").click()
    dialog = operator.get_by_role("dialog", name="Passivate this actor?")
    expect(dialog).to_contain_text("Its next message loads it again.")
    dialog.get_by_role("button", name="Cancel").click()
    expect(_row(operator, service.facts["embedKey"])).to_be_visible()
    panel.get_by_role("button", name="Passivate").click()
    dialog.get_by_role("button", name="Passivate").click()

    expect(panel).to_contain_text("This actor is no longer in memory.")
    expect(_row(operator, service.facts["embedKey"])).to_have_count(0)


def test_what_waits_is_told_with_its_reason(operator: Page) -> None:
    """Each noun with its oldest item; a click leads to the actor, another shows all queues of a noun."""
    waits = operator.get_by_role("region", name="What waits")
    deliveries = waits.get_by_role("row", name=re.compile("^Webhook deliveries 1 "))
    expect(deliveries).to_contain_text(re.compile("attempt|due"))
    expect(waits.get_by_role("row", name=re.compile("^Approvals"))).to_contain_text("A member decides")
    expect(waits).to_contain_text("Nothing waits of: submissions, events, mails")
    replies = waits.get_by_role("button", name="Replies")
    replies.click()
    expect(replies).to_have_attribute("aria-expanded", "true")
    expect(waits.get_by_text("its connection is paused")).to_be_visible()
    deliveries.get_by_role("button", name="Webhook", exact=True).click()

    expect(operator.get_by_role("complementary", name=re.compile("^Webhook whk_"))).to_be_visible()


def test_an_actor_is_restarted_after_a_question(operator: Page, service: Service) -> None:
    """It counts as a crash, which the actor shows."""
    _visit(operator, service)
    _row(operator, service.facts["embedKey"]).get_by_role("button").click()
    panel = operator.get_by_role("complementary")
    panel.get_by_role("button", name="Restart").click()
    dialog = operator.get_by_role("dialog", name="Restart this actor?")
    expect(dialog).to_contain_text("counts as a crash")
    dialog.get_by_role("button", name="Restart").click()

    expect(dialog).to_have_count(0)
    expect(panel).to_contain_text("RestartByOperator")


def test_an_actor_that_is_gone_says_so(browser: Browser, service: Service) -> None:
    """A link to one that was passivated meanwhile is no blank page."""
    context = _context(browser, service, viewport=DESK)
    page = context.new_page()
    _sign_in(page, service)
    page.goto("/debug?ofKind=Filer&ofKey=nobody")

    expect(page.get_by_text("This actor is no longer in memory.")).to_be_visible()
    context.close()


def test_a_lost_connection_comes_back(browser: Browser, service: Service) -> None:
    """It says so meanwhile; where the session is over, it leads to the sign-in."""
    context = _context(browser, service, viewport=DESK)
    page = context.new_page()
    _sign_in(page, service)
    sockets: list[Any] = []

    def relay(socket: Any) -> None:
        sockets.append(socket)
        socket.connect_to_server()

    page.route_web_socket("**/debug/live", relay)
    page.reload()
    expect(page.locator(STATE)).to_have_text("Live")
    sockets[-1].close(code=1001)
    expect(page.locator(STATE)).to_have_text("No connection. Trying again")
    expect(page.locator(STATE)).to_have_text("Live")
    context.clear_cookies()
    sockets[-1].close(code=1001)

    expect(page.get_by_label("Operator’s token")).to_be_visible()
    context.close()


@pytest.mark.skipif(
    not AXE.exists() and os.environ.get("CI") != "true", reason="`make screens` installs axe-core"
)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
def test_it_can_be_read_by_everyone(browser: Browser, service: Service, viewport: Any, scheme: Any) -> None:
    """Nothing that axe-core finds on the form, the lists and an open actor, and no scrolling sideways."""
    context = _context(browser, service, viewport=viewport, color_scheme=scheme)
    page = context.new_page()
    found = []

    def serve(route: Route) -> None:
        route.fulfill(body=AXE.read_bytes(), content_type="text/javascript")

    page.route("**/axe.js", serve)
    page.goto("/debug")
    found.append(_faults(page))
    _sign_in(page, service)
    _visit(page, service)
    expect(_row(page, service.facts["embedKey"])).to_be_visible()
    found.append(_faults(page))
    _row(page, service.facts["embedKey"]).get_by_role("button").click()
    expect(page.get_by_role("complementary")).to_contain_text("Last turns")
    found.append(_faults(page))

    assert [([], 0)] * 3 == found
    context.close()


def _faults(page: Page) -> tuple[list[str], int]:
    """What axe-core finds, and by how many pixels the page is too wide."""
    page.evaluate("() => import('/axe.js')")
    result = page.evaluate("() => axe.run(document)")
    faults = [f"{one['id']}: {node['html']}" for one in result["violations"] for node in one["nodes"]]
    return faults, page.evaluate(WIDEST)
