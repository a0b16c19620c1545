"""The form endpoint and the tracker as a browser has them: on the demo's page, and on pages of others."""

import re
from pathlib import Path
from typing import Any, Final

import httpx
from playwright.sync_api import Browser, Page, ViewportSize, expect

from svc.domain.forms.limits import SENDER_SUBMISSIONS_MAX
from tests.browser.places import Service, Website, complaints, wait_for

ARTIFACTS: Final = Path(__file__).parents[1] / "artifacts"

POST: Final = """async ([url, type, body]) => {
    const headers = type ? { 'content-type': type } : {}
    try {
        const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
        return [response.status, await response.json()]
    } catch (error) {
        return error.name
    }
}"""
"""Posts as a script of a page does: the status and what it could read, or why the browser did not let it."""

JSON: Final = "application/json"


def fill(page: Page, **values: str) -> None:
    for name, value in values.items():
        page.locator(f"#{name}").fill(value)


def send(page: Page) -> None:
    page.get_by_role("button", name="Send enquiry").click()


def a_submission(form_key: str) -> dict[str, Any]:
    return {"f": form_key, "v": {"email": "ada@example.com"}}


def test_an_enquiry_is_stored_and_filed_with_the_visit_that_led_to_it(service: Service, page: Page):
    """The page thanks the visitor, and the enquiry is at its contact, together with the visit."""
    heard = complaints(page)
    page.goto(f"{service.url}/demo/")

    page.get_by_role("link", name="Ask about this lamp (Brass pendant)").click()
    fill(page, name="Ada Lovelace", email="ada@example.com", town="London", message="Over a desk?")
    send(page)

    expect(page.get_by_role("status")).to_contain_text("Thank you, Ada.")
    expect(page.get_by_role("status")).to_be_focused()
    [(_, fields, contact)] = service.filed()
    assert {
        "name": "Ada Lovelace",
        "email": "ada@example.com",
        "lamp": "Brass pendant",
        "town": "London",
        "message": "Over a desk?",
    } == fields
    assert [(f"{service.url}/demo/", None, "Harbour Lamps", contact)] == service.visits()
    assert [] == heard


def test_a_missing_contact_is_shown_at_the_field(service: Service, page: Page):
    """Without e-mail and phone nothing is stored, the field says so, and what was typed stays."""
    page.goto(f"{service.url}/demo/")
    fill(page, name="Ada", message="Hello")

    send(page)

    expect(page.locator("#email-error")).to_have_text(re.compile("e-mail address or a phone number"))
    expect(page.get_by_label("E-mail")).to_be_focused()
    expect(page.get_by_label("E-mail")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("Message")).to_have_value("Hello")
    assert [] == service.submissions()

    fill(page, email="ada@nowhere")
    expect(page.locator("#email-error")).to_be_hidden()
    send(page)

    expect(page.locator("#email-error")).to_have_text("This does not look like an e-mail address.")
    assert [] == service.submissions()


def test_the_twenty_first_in_a_minute_has_to_wait(service: Service, page: Page):
    """The page says how long to wait, and what was typed stays."""
    page.goto(f"{service.url}/demo/")
    with httpx.Client() as sender:
        for _ in range(SENDER_SUBMISSIONS_MAX):
            answer = sender.post(f"{service.url}/api/f/s", json=a_submission(service.facts["formKey"]))
            answer.raise_for_status()
    fill(page, email="ada@example.com", message="One more")

    send(page)

    expect(page.get_by_role("alert")).to_have_text(re.compile(r"Please try again in (\d+ seconds|a minute)"))
    expect(page.get_by_label("Message")).to_have_value("One more")
    assert SENDER_SUBMISSIONS_MAX == len(service.submissions())


def test_a_lost_connection_loses_nothing_that_was_typed(service: Service, page: Page):
    """When the service cannot be reached the page says so, and the same enquiry can be sent again."""
    page.goto(f"{service.url}/demo/")
    fill(page, email="ada@example.com", message="Are you there?")
    page.route("**/api/f/s*", lambda route: route.abort())
    send(page)

    expect(page.get_by_role("alert")).to_contain_text("What you typed is still here")
    page.unroute_all()
    send(page)

    expect(page.get_by_role("status")).to_contain_text("Thank you.")
    [(_, fields, _)] = service.filed()
    assert "Are you there?" == fields["message"]


def test_the_form_works_without_scripts(service: Service, browser: Browser):
    """A browser without scripts sends the plain form, and shows the JSON that answers it."""
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{service.url}/demo/")
        fill(page, email="ada@example.com", message="Plain")

        send(page)

        expect(page.locator("body")).to_have_text('{"ok":true}')
    [(_, fields, _)] = service.filed()
    assert ("ada@example.com", "Plain") == (fields["email"], fields["message"])


def test_the_trap_cannot_be_reached(service: Service, page: Page):
    """The field that marks spam is not there for people: not on the page, not by key, not read out."""
    page.goto(f"{service.url}/demo/")

    named = [box.get_attribute("name") for box in page.locator("#enquiry").get_by_role("textbox").all()]
    reached = []
    page.get_by_label("Name").focus()
    for _ in range(6):
        reached.append(page.evaluate("document.activeElement.name"))
        page.keyboard.press("Tab")

    assert ["name", "email", "phone", "town", "message"] == named
    assert ["name", "email", "phone", "lamp", "town", "message"] == reached
    assert "Send enquiry" == page.evaluate("document.activeElement.textContent")
    assert 1 == page.evaluate("document.getElementById('trap').parentElement.clientWidth")


def test_a_page_of_another_site_may_not_use_a_bound_form(service: Service, website: Website, page: Page):
    """A bound form refuses another site's page with a reason; after a preflight the browser does."""
    website.pages["/"] = "<title>Elsewhere</title>"
    page.goto(website.url(host="localhost"))
    key = service.facts["boundFormKey"]
    address = f"{service.url}/api/f/s?f={key}"

    plain = page.evaluate(POST, [address, None, a_submission(key)])
    after_a_preflight = page.evaluate(POST, [address, JSON, a_submission(key)])

    assert [400, {"ok": False, "reason": "origin"}] == plain
    assert "TypeError" == after_a_preflight
    assert [] == service.submissions()


def test_a_page_of_another_site_may_use_an_unbound_form(service: Service, website: Website, page: Page):
    """An unbound form takes JSON from any page, as the key in the address lets the preflight find it."""
    website.pages["/"] = "<title>Elsewhere</title>"
    page.goto(website.url(host="localhost"))
    key = service.facts["formKey"]
    address = f"{service.url}/api/f/s"

    with_a_key = page.evaluate(POST, [f"{address}?f={key}", JSON, a_submission(key)])
    without_a_key = page.evaluate(POST, [address, JSON, a_submission(key)])
    without_a_preflight = page.evaluate(POST, [address, None, a_submission(key)])

    assert [200, {"ok": True}] == with_a_key
    assert "TypeError" == without_a_key
    assert [200, {"ok": True}] == without_a_preflight
    assert 2 == len(service.filed())


def test_the_tracker_counts_the_pages_of_a_site_elsewhere(service: Service, website: Website, page: Page):
    """`/t.js` works on pages of another origin under their policy, and follows them as they move.

    Of an address it sends no more than is kept; a submission then attaches all of it.
    """
    heard = complaints(page)
    website.headers["Content-Security-Policy"] = (
        f"default-src 'none'; script-src {service.url}; connect-src {service.url}"
    )
    website.headers["Referrer-Policy"] = "no-referrer"
    website.pages["/"] = f'<title>Start</title><script src="{service.url}/t.js"></script>'
    told = []
    page.on("request", lambda asked: told.append(asked.post_data) if asked.url.endswith("/api/t") else None)
    start, lamps = website.url("/"), website.url("/lamps?utm_source=letter")

    page.goto(f"{start}?session=secret#top")
    wait_for(service.visits, lambda found: len(found) == 1)
    page.evaluate(
        "history.pushState({}, '', '/lamps?q=secret&utm_source=letter#x');"
        "setTimeout(() => { document.title = 'Lamps' }, 50)"
    )
    wait_for(service.visits, lambda found: len(found) == 2)
    page.evaluate("history.replaceState({}, '', '/lamps?sort=price&utm_source=letter')")
    page.go_back()
    wait_for(service.visits, lambda found: len(found) == 3)
    key = service.facts["boundFormKey"]
    answer = page.evaluate(POST, [f"{service.url}/api/f/s?f={key}", JSON, a_submission(key)])

    assert [200, {"ok": True}] == answer
    [(_, _, contact)] = service.filed()
    assert [
        (start, None, "Start", contact),
        (lamps, start, "Lamps", contact),
        (start, lamps, "Lamps", contact),
    ] == service.visits()
    assert "secret" not in "".join(told)
    assert [] == heard


def test_the_tracker_respects_an_opt_out(service: Service, browser: Browser):
    """A browser that asks not to be tracked sends nothing."""
    with browser.new_context() as context:
        context.add_init_script("Object.defineProperty(navigator, 'globalPrivacyControl', { value: true })")
        page = context.new_page()
        asked = []
        page.on("request", lambda request: asked.append(request.url.removeprefix(service.url)))
        page.goto(f"{service.url}/demo/", wait_until="networkidle")

        assert "/t.js" in asked
        assert "/api/t" not in asked


def test_the_page_looks_as_it_should(service: Service, browser: Browser):
    """The page fits a desk and a phone; pictures of both are kept in tests/artifacts, to be looked at."""
    for name, scale, screen in (
        ("desktop", 1, ViewportSize(width=1280, height=900)),
        ("phone", 2, ViewportSize(width=390, height=844)),
    ):
        with browser.new_context(viewport=screen, device_scale_factor=scale) as context:
            page = context.new_page()
            page.goto(f"{service.url}/demo/", wait_until="networkidle")
            page.screenshot(path=ARTIFACTS / f"demo-{name}.png", full_page=True)

            assert screen["width"] == page.evaluate("document.documentElement.scrollWidth")
            send(page)
            expect(page.locator("#email-error")).to_be_visible()
            page.locator("#enquiry").screenshot(path=ARTIFACTS / f"demo-{name}-refused.png")
            fill(page, name="Ada", phone="01632 960001")
            send(page)
            expect(page.get_by_role("status")).to_be_visible()
            page.locator("#ask").screenshot(path=ARTIFACTS / f"demo-{name}-sent.png")
