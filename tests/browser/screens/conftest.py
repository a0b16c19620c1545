"""The screens in Chromium, on one running service."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    StorageState,
    expect,
)

from tests.browser.places import WAIT_SECONDS, Receiver, Service, receiver_elsewhere, service_with_demo
from tests.forked import Forked

DESK: Final[Any] = {"width": 1280, "height": 800}
PHONE: Final[Any] = {"width": 390, "height": 844}
_LOOKS_A_SECOND: Final = 20


class Watch:
    """What a page did that none of ours may do."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.complaints: list[str] = []
        self.expected: list[str] = []
        """Parts of console lines that the test provokes, such as the status of a refusal."""

    def on(self, page: Page) -> None:
        page.on("console", self._read)
        page.on("pageerror", lambda error: self._hear(f"uncaught: {error}"))
        page.on("request", self._see)

    def _read(self, line: ConsoleMessage) -> None:
        if line.type in {"error", "warning"}:
            self._hear(f"{line.text} {line.location['url']}")

    def _hear(self, text: str) -> None:
        if not any(part in text for part in self.expected):
            self.complaints.append(text)

    def _see(self, request: Request) -> None:
        target = urlsplit(request.url)
        if target.scheme in {"http", "https"} and f"{target.scheme}://{target.netloc}" != self.origin:
            self.complaints.append(f"a request elsewhere: {request.url}")


def wait_until(page: Page, expression: str) -> None:
    """Wait until *expression* is true on the page.

    Not by `wait_for_function`: its second look is refused by the policy of the screens.
    """
    for _ in range(WAIT_SECONDS * _LOOKS_A_SECOND):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(1_000 / _LOOKS_A_SECOND)
    raise AssertionError(f"never true: {expression}")


def sign_in(page: Page, service: Service) -> None:
    """Sign in as the owner, at the screen."""
    page.goto("/app/sign-in")
    page.get_by_label("E-mail").fill(service.facts["owner"]["email"])
    page.get_by_label("Password", exact=True).fill(service.facts["owner"]["password"])
    page.keyboard.press("Enter")
    page.wait_for_selector("#title")


def type_into_opened(page: Page, text: str) -> None:
    """Type *text* into the field that a key has opened, once it has the focus: sooner, letters are keys."""
    expect(page.locator("input:focus, textarea:focus")).to_be_visible()
    page.keyboard.type(text)


def command(service: Service, *args: str) -> str:
    """What `svc` prints with *args* about the running *service*."""
    env = {**os.environ, "SVC_DATA__DIRECTORY": str(service.database.parent)}
    with Path(os.devnull).open("w") as stderr:
        process = Forked(*args, stderr=stderr, env=env)
        printed = process.stdout.read()
        assert 0 == process.wait()
    return printed


# One for all: a start costs more than most of these tests.
@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service_with_demo(Path(tmp_path_factory.mktemp("screens"))) as service:
        yield service


@pytest.fixture(scope="session")
def outward(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service that may post to programs of this machine."""
    allowed = {"SVC_OUTGOING__ALLOWED_NETWORKS": "127.0.0.1/32"}
    with service_with_demo(Path(tmp_path_factory.mktemp("outward")), **allowed) as service:
        yield service


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiver_elsewhere() as receiver:
        yield receiver


@pytest.fixture(scope="module")
def owner(browser: Browser, service: Service) -> StorageState:
    """The cookies of the owner, who signed in at the screen."""
    context = browser.new_context(base_url=service.url)
    context.set_default_timeout(WAIT_SECONDS * 1_000)
    page = context.new_page()
    sign_in(page, service)
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture
def watch(service: Service) -> Iterator[Watch]:
    """Fails the test on a console error, on an uncaught one, and on any request to another origin."""
    watch = Watch(service.url)
    yield watch

    assert [] == watch.complaints


def _context(browser: Browser, service: Service, watch: Watch, **how: Any) -> BrowserContext:
    context = browser.new_context(base_url=service.url, reduced_motion="reduce", **how)
    context.set_default_timeout(WAIT_SECONDS * 1_000)
    context.on("page", watch.on)
    return context


@pytest.fixture
def stranger(browser: Browser, service: Service, watch: Watch) -> Iterator[Page]:
    """A page of a browser that is not signed in."""
    context = _context(browser, service, watch, viewport=DESK)
    yield context.new_page()
    context.close()


@pytest.fixture
def desk(browser: Browser, service: Service, owner: StorageState, watch: Watch) -> Iterator[Page]:
    """The owner's page on a desk."""
    context = _context(browser, service, watch, viewport=DESK, storage_state=owner)
    yield context.new_page()
    context.close()


@pytest.fixture
def phone(browser: Browser, service: Service, owner: StorageState, watch: Watch) -> Iterator[Page]:
    """The owner's page on a phone."""
    context = _context(
        browser, service, watch, viewport=PHONE, has_touch=True, is_mobile=True, storage_state=owner
    )
    yield context.new_page()
    context.close()
