"""What mailed links lead to: a new password, a proven address, and the choice of notices."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.places import Service, service_with_demo, wait_for
from tests.browser.screens.conftest import DESK, Watch, _context, command, sign_in
from tests.mail_servers import Inbox, real_server, text_of

NEW: Final = "another long password"


@pytest.fixture(scope="module")
def inbox() -> Iterator[Inbox]:
    """What the service of this module sends."""
    with real_server() as (inbox, settings), pytest.MonkeyPatch.context() as patch:
        patch.setenv("SVC_MAIL__SERVER", "127.0.0.1")
        patch.setenv("SVC_MAIL__PORT", str(settings.port))
        patch.setenv("SVC_MAIL__SECURITY", "none")
        patch.setenv("SVC_MAIL__SENDER", "crm@harbour.example")
        yield inbox


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, inbox: Inbox) -> Iterator[Service]:
    """A service of its own, since it sends mail."""
    with service_with_demo(Path(tmp_path_factory.mktemp("mailed"))) as service:
        yield service


@pytest.fixture
def visitor(browser: Browser, service: Service) -> Iterator[Page]:
    """A browser that is not signed in, and may complain of refusals alone."""
    watch = Watch(service.url)
    watch.expected = ["404", "401"]
    context = _context(browser, service, watch, viewport=DESK)
    yield context.new_page()
    context.close()
    assert [] == watch.complaints


def link_in(inbox: Inbox, number: int) -> str:
    """The path of the link in the mail of that *number*, with its token, once it has come."""
    wait_for(lambda: inbox.taken, lambda taken: len(taken) > number)
    [link] = re.findall(r"https?://[^/\s]+(/\S+#\S+)", text_of(inbox.taken[number]))
    return str(link)


def test_a_forgotten_password_and_a_proven_address(visitor: Page, service: Service, inbox: Inbox) -> None:
    """From the sign-in to the mail, and back by its links; each works once."""
    owner = service.facts["owner"]
    sign_in(visitor, service)
    visitor.goto("/app/account/notices")
    expect(visitor.get_by_text("is not proven")).to_be_visible()
    visitor.get_by_role("button", name="Mail me a link").click()
    visitor.goto(link_in(inbox, 0))
    visitor.get_by_role("button", name="This is my address").click()
    expect(visitor.get_by_role("heading", name="The address is yours")).to_be_visible()
    assert "#" not in visitor.url

    visitor.goto("/app/account/notices")
    expect(visitor.get_by_text(f"Notices go to {owner['email']}.")).to_be_visible()
    visitor.get_by_role("switch", name="Held submissions").check()
    visitor.get_by_role("button", name="Save").click()
    expect(visitor.get_by_text("Your notices are saved")).to_be_visible()
    visitor.reload()
    expect(visitor.get_by_role("switch", name="Held submissions")).to_be_checked()

    visitor.context.clear_cookies()
    visitor.goto("/app/sign-in")
    visitor.get_by_role("link", name="Forgot your password?").click()
    expect(visitor.get_by_role("heading", name="A new password")).to_be_visible()
    visitor.get_by_label("E-mail").fill(owner["email"])
    visitor.keyboard.press("Enter")
    expect(visitor.get_by_role("heading", name="Look into your mail")).to_be_visible()
    link = link_in(inbox, 1)
    visitor.goto(link)
    expect(visitor.get_by_text(f"For the account {owner['email']}.")).to_be_visible()
    visitor.get_by_label("New password").fill(NEW)
    visitor.keyboard.press("Enter")
    expect(visitor.get_by_role("heading", name="The password is changed")).to_be_visible()

    visitor.get_by_role("link", name="Go to sign-in").click()
    visitor.get_by_label("E-mail").fill(owner["email"])
    visitor.get_by_label("Password", exact=True).fill(NEW)
    visitor.keyboard.press("Enter")
    expect(visitor.get_by_role("heading", name="Waiting for you")).to_be_visible()

    visitor.goto("about:blank")
    visitor.goto(link)
    expect(visitor.get_by_role("heading", name="This link does not work any more")).to_be_visible()


def test_a_name_and_an_address_are_changed(
    visitor: Page, browser: Browser, service: Service, inbox: Inbox
) -> None:
    """The name at once, wherever it stands; the address by the link in a mail that the new one gets."""
    home = ("--organization", service.facts["organizationId"])
    command(service, "user", "create", "joris@harbour-lamps.example", "--name", "Joris", *home)
    link = command(service, "user", "link", "joris@harbour-lamps.example").split()[-1]
    visitor.goto(link)
    visitor.get_by_role("button", name="Sign in without a password for now").click()
    visitor.get_by_role("button", name=re.compile("account$")).click()
    visitor.get_by_role("menuitem", name="Profile").click()
    visitor.get_by_label("Your name").fill("Joris van Dijk")
    visitor.get_by_role("button", name="Save").click()
    expect(visitor.get_by_role("button", name="Joris van Dijk, account")).to_be_visible()
    sent = len(inbox.taken)
    visitor.get_by_label("New e-mail address").fill("joris@home.example")
    visitor.get_by_role("button", name="Send the link").click()
    expect(visitor.get_by_text("A link is on its way to joris@home.example")).to_be_visible()
    expect(visitor.locator(".with-badge")).to_contain_text("joris@harbour-lamps.example")
    wait_for(lambda: inbox.taken, lambda taken: len(taken) == sent + 2)
    texts = [text_of(mail) for mail in inbox.taken[sent:]]
    [path] = [found for text in texts for found in re.findall(r"https?://[^/\s]+(/app/prove#\S+)", text)]
    assert any("Nothing has changed yet" in text for text in texts)

    elsewhere = browser.new_context(base_url=service.url).new_page()
    elsewhere.goto(path)
    expect(elsewhere.get_by_text("your account has the address joris@home.example")).to_be_visible()
    elsewhere.get_by_role("button", name="Use this address").click()
    expect(elsewhere.get_by_role("heading", name="Your address has changed")).to_be_visible()
    elsewhere.context.close()
    visitor.reload()
    expect(visitor.locator(".with-badge")).to_contain_text("joris@home.example")
    expect(visitor.get_by_text("Proven", exact=True)).to_be_visible()
