"""Home and the palette: what `home.get` takes, and how soon a search is painted, over 100,000 of all."""

import http.client
import random
import time
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Any, Final

import msgspec
from playwright.sync_api import Page, sync_playwright

from bench._archive import fill_archive
from bench._lamps import SEED, database, unit
from bench._machine import Server, use_all_cores
from bench._report import Target, print_table, print_targets, save
from bench._screens_in_browser import _fill, _serving, require_chromium
from bench._world import DATABASE, workspace
from svc.storage.identity import organizations
from svc.storage.records import objects
from svc.storage.records.writes.items import write_many
from svc.storage.records.writes.ways import Item

SUBMISSIONS: Final = 100_000
CONTACTS: Final = 100_000
FORMS: Final = 20
CALLS: Final = 50
ROUNDS: Final = 7
_SETTLE_MS: Final = 300
_UNIT: Final = 1_000
_SOURCE: Final = {"kind": "api"}

_GIVEN: Final = ("Ada", "Alan", "Barbara", "Claude", "Dennis", "Edsger", "Grace", "Ken", "Margaret", "Radia")
_FAMILY: Final = ("Dijkstra", "Hamilton", "Hopper", "Liskov", "Lovelace", "Perlman", "Shannon", "Turing")

HOME_MS_MAX: Final = 20
RESULTS_MS_MAX: Final = 100

_SEARCHES: Final = {
    "a name of 1,250 contacts": ("ada lov", "Ada Lovelace"),
    "one contact of 100,000": ("person77777", "person77777@"),
    "a name with a slip": ("ada lovelcae", "Ada Lovelace"),
    "a screen": ("submissions", "Submissions"),
}
"""What is typed at once, and what is waited for."""
_TYPE: Final = """([text, awaited]) => new Promise((then) => {
    const field = document.querySelector(".palette-input");
    const shown = () => [...document.querySelectorAll(".palette-list [role=option]")]
        .some((option) => option.textContent.includes(awaited));
    field.value = text;
    const since = performance.now();
    field.dispatchEvent(new Event("input", { bubbles: true }));
    const look = () => {
        if (!shown()) return requestAnimationFrame(look);
        scheduler.postTask(() => then(performance.now() - since), { priority: "user-blocking" });
    };
    requestAnimationFrame(look);
})"""
"""Answers how long it is from the input until the frame that shows what is awaited is done, in ms."""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What was found."""

    home_ms: list[float]
    """A call of `home.get`, as its caller sees it."""
    found_ms: dict[str, list[float]]
    """From the input until what was looked for is painted."""


def main() -> None:
    """Measure, print, and say which targets hold."""
    require_chromium()
    with workspace() as space:
        found = _measure(space / "home")
    print_table(
        f"{SUBMISSIONS:,} submissions, {CONTACTS:,} contacts, one at a time",
        ["", "p50 ms", "worst ms"],
        [["home.get", median(found.home_ms), max(found.home_ms)]],
    )
    print_table(
        f"The palette, ms from the input until it is painted, medians of {ROUNDS}",
        ["", "p50 ms", "worst ms"],
        [[name, median(took), max(took)] for name, took in found.found_ms.items()],
    )
    targets = [Target(name="home.get", figure=median(found.home_ms), bound=HOME_MS_MAX, unit="ms")]
    targets += [
        Target(name=f"found, {name}", figure=median(took), bound=RESULTS_MS_MAX, unit="ms")
        for name, took in found.found_ms.items()
    ]
    print_targets(targets)
    save("home", found, targets)


def _measure(data: Path) -> Found:
    fill_archive(data, SUBMISSIONS, organizations=1, forms=FORMS, contacts_every=SUBMISSIONS)
    _add_contacts(data)
    token = _fill(data)
    use_all_cores()  # Chromium is many processes
    with _serving(data) as server, sync_playwright() as playwright:
        home_ms = _home(server, token)
        browser = playwright.chromium.launch(
            executable_path=require_chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
        origin = f"http://127.0.0.1:{server.port}"
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        cookie: Any = {"name": "svc_session", "value": token, "url": origin}
        context.add_cookies([cookie])
        page = context.new_page()
        page.goto(f"{origin}/app/")
        page.wait_for_selector(".home")
        found: dict[str, list[float]] = {name: [] for name in _SEARCHES}
        for _ in range(ROUNDS):
            for name, (text, awaited) in _SEARCHES.items():
                found[name].append(_search(page, text, awaited))
        browser.close()
    return Found(home_ms=home_ms, found_ms=found)


def _add_contacts(data: Path) -> None:
    """Contacts as tools write them, so that they are in the search index."""
    chance = random.Random(SEED)  # the same contacts every time
    with database(data / DATABASE) as conn:
        [organization] = organizations.list_all(conn)
        conn.rollback()
        for first in range(0, CONTACTS, _UNIT):
            items = [
                Item(
                    {
                        "name": f"{chance.choice(_GIVEN)} {chance.choice(_FAMILY)}",
                        "email": f"person{number}@example{number % 50}.com",
                    }
                )
                for number in range(first, first + _UNIT)
            ]
            with unit(conn) as tx:
                object_ = objects.get(conn, organization.id, "contact")
                write_many(tx, organization, object_, "create", items, by=None, source=_SOURCE, skip=True)


def _home(server: Server, token: str) -> list[float]:
    took = []
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)) as connection:
        cookie = {"cookie": f"svc_session={token}"}
        connection.request("GET", "/app/api/session", headers=cookie)
        session = msgspec.json.decode(connection.getresponse().read())
        headers = {
            **cookie,
            "content-type": "application/json",
            "x-csrf-token": session["csrfToken"],
            "origin": f"http://127.0.0.1:{server.port}",
        }
        for _ in range(CALLS):
            began = time.perf_counter()
            connection.request("POST", "/app/api/tools/home.get", "{}", headers)
            answer = connection.getresponse()
            body = answer.read()
            took.append((time.perf_counter() - began) * 1e3)
            if answer.status != http.client.OK:
                raise SystemExit(f"home.get answered {answer.status}: {body!r}")
    return took


def _search(page: Page, text: str, awaited: str) -> float:
    """Open the palette and put *text* into it; ms until what has *awaited* in it is painted."""
    page.keyboard.press("Control+k")
    page.wait_for_selector(".palette-input")
    page.wait_for_timeout(_SETTLE_MS)
    took: float = page.evaluate(_TYPE, [text, awaited])
    page.keyboard.press("Escape")
    page.wait_for_selector(".palette-input", state="detached")
    return took
