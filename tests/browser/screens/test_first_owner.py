"""The first start: what `svc run` prints leads the first owner to their organization."""

import re
from pathlib import Path

from playwright.sync_api import Browser, expect

from svc.http.screens.assets import built
from tests.browser.places import WAIT_SECONDS
from tests.browser.screens.conftest import PHONE, Watch
from tests.browser.screens.test_every_screen import faults
from tests.forked import Forked


def _addresses() -> list[str]:
    """The screens of what an organization has from the beginning, and of lists that are empty then."""
    asking = [screen.path for screen in built().manifest.screens if screen.calls and screen.path != "*"]
    paths = [path.replace("{object}", "contact") for path in asking]
    return [path for path in paths if "{" not in path]


def test_the_first_owner_makes_the_organization(browser: Browser, tmp_path: Path) -> None:
    """By the printed link, on a phone: faults stand at their fields, and the link works once.

    No screen complains where there is nothing yet.
    """
    binds = ("--bind", "127.0.0.1:0", "--operator-bind", "127.0.0.1:0")
    with (tmp_path / "log").open("w") as stderr:
        process = Forked("run", "--data", str(tmp_path / "data"), *binds, stderr=stderr)
    try:
        link = ""
        while not link:
            found = re.search(r"http\S+/app/welcome#\S+", process.stdout.readline())
            link = found[0] if found else ""
        watch = Watch(link.partition("/app/")[0])
        watch.expected = ["422", "404"]
        context = browser.new_context(viewport=PHONE, reduced_motion="reduce")
        context.set_default_timeout(WAIT_SECONDS * 1_000)
        context.on("page", watch.on)
        page = context.new_page()
        page.goto(link)
        expect(page.get_by_label("Organization")).to_be_focused()
        assert "#" not in page.url
        assert [] == faults(page)
        page.keyboard.type("Harbour Lamps")
        page.get_by_label("Your name").fill("Ida Holm")
        page.get_by_label("E-mail").fill("ida@harbour-lamps.example")
        page.get_by_label("New password").fill("short")
        page.keyboard.press("Enter")
        expect(page.get_by_label("New password")).to_have_attribute("aria-invalid", "true")
        page.get_by_label("New password").fill("ten lamps at the harbour")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="First steps")).to_be_visible()
        page.goto(f"{watch.origin}/app/settings/organization")
        expect(page.get_by_label("Name", exact=True)).to_have_value("Harbour Lamps")
        for path in _addresses():
            page.goto(f"{watch.origin}{path}")
            expect(page.locator("h1")).to_be_visible()
            expect(page.locator(".skeleton")).to_have_count(0)
        again = context.new_page()
        again.goto(link)
        expect(again.get_by_role("heading", name="This link does not work any more")).to_be_visible()
        expect(again.get_by_role("textbox")).to_have_count(0)
        context.close()
        assert [] == watch.complaints
    finally:
        process.terminate()
        process.wait(WAIT_SECONDS)
