"""Nothing here runs on Trio: Playwright brings a loop of its own, so the service is a process."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.browser.places import WAIT_SECONDS, Service, Website, service_with_demo, website_elsewhere

CHROMIUM_NAMES: Final = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first is the same engine without windows and bars of its own, which are most of opening a page."""
CHROMIUM_ARGS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


# On a machine that does much else it may take so long; what is there at once is not waited for.
expect.set_options(timeout=WAIT_SECONDS * 1_000)


def chromium() -> str:
    """The path of the system's Chromium. Where there is none the tests are skipped; in CI they fail."""
    path = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    if path is None:
        why = f"there is no browser: none of {', '.join(CHROMIUM_NAMES)} is in PATH"
        if os.environ.get("CI") == "true":
            pytest.fail(why)
        pytest.skip(why)
    return path


# For this folder, which is a package for that, and not for the whole session: Playwright's loop counts as
# running in this thread until it is closed. The files of the folder follow each other (`costly.py`).
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """The system's Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=CHROMIUM_ARGS)
        yield browser
        browser.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser that has been nowhere."""
    context = browser.new_context()
    context.set_default_timeout(WAIT_SECONDS * 1_000)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with service_with_demo(tmp_path) as service:
        yield service


@pytest.fixture
def website() -> Iterator[Website]:
    with website_elsewhere() as website:
        yield website
