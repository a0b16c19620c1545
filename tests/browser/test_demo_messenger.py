"""The demo's messenger as a browser has it: a chat with the shop, through the real doors."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import httpx
import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.browser.places import WAIT_SECONDS, Service, complaints
from tests.forked import Forked

ARTIFACTS: Final = Path(__file__).parents[1] / "artifacts"
QUESTION: Final = "Do you still make the Skerry in brass? We have a dark stairwell."
ANSWER: Final = "We do, to order: six weeks. Shall I put one aside for you?"


@contextmanager
def demo_messenger(data: Path) -> Iterator[str]:
    """The program, and its address."""
    with data.with_name("messenger.log").open("w") as stderr:
        process = Forked("demo-messenger", "--data", str(data), "--bind", "127.0.0.1:0", stderr=stderr)
    try:
        yield process.stdout.readline().split()[-1]
    finally:
        process.terminate()
        process.wait(WAIT_SECONDS)
    assert 0 == process.returncode


@pytest.fixture
def messenger(service: Service, tmp_path: Path) -> Iterator[str]:
    with demo_messenger(tmp_path / "data") as address:
        yield address


def ask(page: Page, text: str = QUESTION) -> None:
    page.get_by_label("Message", exact=True).fill(text)
    page.get_by_role("button", name="Send", exact=True).click()


def answer(page: Page, text: str = ANSWER) -> None:
    page.get_by_label("Reply as the team").fill(text)
    page.get_by_role("button", name="Send reply").click()


def test_a_chat_goes_both_ways(messenger: str, page: Page):
    """The question arrives on the shop's side, the answer on the phone, and that it was read comes back."""
    heard = complaints(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(messenger)
    expect(page.get_by_role("button", name="Send reply")).to_be_disabled()

    ask(page)
    expect(page.locator("#lines")).to_contain_text(QUESTION)
    answer(page)

    expect(page.locator("#bubbles")).to_contain_text(ANSWER)
    expect(page.locator("#bubbles")).to_contain_text("Maren Holt")
    expect(page.locator("#lines .state")).to_have_text("read")
    assert [] == heard
    assert all(url.startswith(messenger) for url in asked)


def test_a_shared_number_finds_the_contact(messenger: str, page: Page):
    """The demo has a contact with it, whose name the shop's side shows."""
    page.goto(messenger)
    ask(page)
    expect(page.locator("#lines")).to_contain_text(QUESTION)

    page.get_by_role("button", name="Share my number").click()

    expect(page.get_by_role("heading", name="Grace Okafor")).to_be_visible()
    expect(page.locator("#contact")).to_have_text("Known contact")


def test_a_reply_is_delivered_while_no_page_is_open(messenger: str, page: Page):
    """It is `delivered` on a page in the background, and `read` when that is looked at."""
    page.goto(messenger)
    ask(page)
    expect(page.locator("#lines")).to_contain_text(QUESTION)
    state = "{ get: () => window.away ? 'hidden' : 'visible' }"
    page.evaluate(f"window.away = true; Object.defineProperty(document, 'visibilityState', {state})")
    chat = page.evaluate("chat")
    httpx.post(f"{messenger}{chat}/team/replies", json={"text": ANSWER}).raise_for_status()
    expect(page.locator("#bubbles")).to_contain_text(ANSWER)

    # A hidden page does not look by itself, and the report takes its way through the bridge.
    shown = "document.querySelector('#lines .state').textContent"
    page.wait_for_function(f"async () => {{ await look(); return {shown} === 'delivered' }}")
    page.evaluate("window.away = false")
    ask(page, "Still there?")

    expect(page.locator("#lines .state")).to_have_text("read")


def test_it_is_for_this_machine_alone(messenger: str):
    """A page of another site cannot read it or write to it, whatever name it finds it by."""
    with httpx.Client(base_url=messenger) as client:
        path = "chats/somebody/messages"
        answers = [
            client.get("", headers={"host": "rebound.example:8002"}),
            client.get("chats/x", headers={"sec-fetch-site": "cross-site"}),
            client.post(path, content='{"text": "Hi"}', headers={"content-type": "text/plain"}),
            client.post(path, json={"text": ""}),
            client.post(path, json={"text": "x" * 4_001}),
            client.get(f"chats/{'x' * 65}"),
            client.post("chats/nobody/team/replies", json={"text": "Hi"}),
        ]

    assert [403, 403, 415, 400, 400, 404, 404] == [one.status_code for one in answers]


def test_it_says_that_there_is_no_demo(tmp_path: Path):
    """In a line, with what to do."""
    command = [sys.executable, "-m", "svc", "demo-messenger", "--data", str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_SECONDS, check=False)

    assert 1 == ran.returncode
    assert "start one with svc run --demo" in ran.stderr


def test_the_messenger_looks_as_it_should(messenger: str, browser: Browser):
    """The page fits a desk and a phone; pictures of both are kept in tests/artifacts, to be looked at."""
    for name, scale, screen in (
        ("desktop", 1, ViewportSize(width=1280, height=900)),
        ("phone", 2, ViewportSize(width=390, height=844)),
    ):
        with browser.new_context(viewport=screen, device_scale_factor=scale) as context:
            page = context.new_page()
            page.goto(messenger)
            expect(page.locator("#line")).to_have_text("online")
            page.screenshot(path=ARTIFACTS / f"messenger-{name}-empty.png", full_page=True)
            ask(page)
            expect(page.locator("#lines")).to_contain_text(QUESTION)
            answer(page)
            expect(page.locator("#lines .state")).to_have_text("read")
            ask(page, "Yes please!")
            expect(page.locator("#lines")).to_contain_text("Yes please!")
            page.get_by_role("button", name="Share my number").click()
            expect(page.get_by_role("heading", name="Grace Okafor")).to_be_visible()
            page.screenshot(path=ARTIFACTS / f"messenger-{name}.png", full_page=True)

            assert screen["width"] == page.evaluate("document.documentElement.scrollWidth")
            fits = (
                "[...document.querySelectorAll('section')].map((one) => one.scrollWidth <= one.clientWidth)"
            )
            assert [True, True] == page.evaluate(fits)
