"""The browser's half of the screens: how soon they show and answer in Chromium, and what a visit fetches."""

import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median
from typing import Any, Final

import msgspec
import trio
from playwright.sync_api import (
    Browser,
    BrowserContext,
    CDPSession,
    ConsoleMessage,
    Page,
    Request,
    sync_playwright,
)

from bench._archive import fill_archive
from bench._machine import Server, free_port, is_ready, program, running, use_all_cores
from bench._report import Target, print_table
from bench._world import DATABASE
from svc.clock import WallClock
from svc.domain.crypto.keys import SESSION, digest, new_key
from svc.domain.embeds.blocks import HeroBlock
from svc.domain.identity.callers import operator_call
from svc.domain.randomness import SYSTEM
from svc.http.screens.assets import built
from svc.storage.embeds import embeds
from svc.storage.identity import accounts, members, organizations, sessions
from svc.storage.identity.accounts import NewAccount
from svc.storage.sqlite.inline import inline_store
from svc.storage.sqlite.store import migrate_to_head
from svc.storage.store import Tx

SUBMISSIONS: Final = 100_000
"""And as many contacts."""
FORMS: Final = 20
EMBEDS: Final = 60
HELD_EVERY: Final = 50
SLOWED: Final = 4
VISITS: Final = 7
KEYS: Final = 10
WAIT_MS: Final = 20_000

KIB: Final = 1_024
FIRST_KIB_MAX: Final = 80
FIRST_SCRIPTS_KIB_MAX: Final = 45
ALL_KIB_MAX: Final = 160
SHOWN_MS_MAX: Final = 300
KEY_MS_MAX: Final = 50

PLAIN: Final = "plain"
_BEFORE: Final = "/docs/icon.svg"
"""What the tab shows before, so that the start of its process is not in the figure; a first visit's is."""
_ROW: Final = "tbody tr"
_HOLD_EVERY: Final = """UPDATE submissions SET state = 'held', held_reason = 'several', contact_id = NULL,
    filed_at = NULL, candidates = '[]' WHERE rowid % ? = 0"""
_SHOWN: Final = """
    const look = () => {
      if (!document.querySelector(SELECTOR)) return false;
      requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => { console.debug("shown", performance.now()); };
        channel.port2.postMessage(null);
      });
      return true;
    };
    const seen = new MutationObserver(() => { if (look()) seen.disconnect(); });
    seen.observe(document, { childList: true, subtree: true });
"""
"""Notes when what is waited for has been painted, in ms since the page was asked for."""
_KEY: Final = """
    addEventListener("keydown", (event) => requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => { console.debug("key", performance.now() - event.timeStamp); };
      channel.port2.postMessage(null);
    }), true);
"""
"""Notes how long it is from a key to the end of the frame that answers it."""


class Screen(msgspec.Struct, frozen=True, kw_only=True):
    """One address, and how soon it shows."""

    name: str
    slowed_ms: list[float]
    as_is_ms: list[float]


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What was found in the browser."""

    first_kib: float
    """What a first visit fetches, as it is sent."""
    first_scripts_kib: float
    all_kib: float
    """All built files, as they are sent."""
    first_ms: list[float]
    """A browser that has been nowhere, slowed."""
    screens: list[Screen]
    key_slowed_ms: list[float]
    key_as_is_ms: list[float]


def require_chromium() -> str:
    """The path of Chromium; ends the program with a word of advice where there is none."""
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        print("This bench needs Chromium: apt-get install chromium", file=sys.stderr)
        sys.exit(2)
    return path


def measure(space: Path) -> Seen:
    """Visit every screen that has a list, slowed and as the machine is, in turns."""
    data = space / "browser"
    fill_archive(data, SUBMISSIONS, organizations=1, forms=FORMS, contacts_every=1)
    with closing(sqlite3.connect(data / DATABASE)) as db:
        db.execute(_HOLD_EVERY, (HELD_EVERY,))
        db.commit()
        [(form_id,), *_] = db.execute("SELECT id FROM forms").fetchall()
        [(held_id,)] = db.execute("SELECT max(id) FROM submissions WHERE state = 'held'").fetchall()
    token = _fill(data)
    addresses = {
        PLAIN: ("/app/submissions", _ROW),
        "filtered by state": ("/app/submissions?state=Held", _ROW),
        "filtered by form": (f"/app/submissions?form={form_id}", _ROW),
        "searched": ("/app/submissions?q=petrova", _ROW),
        "searched, one in 100,000": ("/app/submissions?q=40001%40mail", _ROW),
        "searched, none found": ("/app/submissions?q=nobody", ".empty"),
        "open panel": (f"/app/submissions?state=Held&open={held_id}", ".panel dl"),
        "embeds": ("/app/embeds", _ROW),
        "objects": ("/app/settings/objects", _ROW),
    }
    use_all_cores()  # Chromium is many processes
    with _serving(data) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=require_chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
        origin = f"http://127.0.0.1:{server.port}"
        visitor = _Visitor(browser, origin, token)
        first = [visitor.first(*addresses[PLAIN]) for _ in range(VISITS)]
        for path, selector in addresses.values():
            visitor.visit(path, selector, 1)  # so that the files are in the cache, and its index is read
        screens = {name: Screen(name=name, slowed_ms=[], as_is_ms=[]) for name in addresses}
        for _ in range(VISITS):
            for name, (path, selector) in addresses.items():
                screens[name].slowed_ms.append(visitor.visit(path, selector, SLOWED))
                screens[name].as_is_ms.append(visitor.visit(path, selector, 1))
        path, selector = addresses[PLAIN]
        keys = {rate: visitor.keys(path, selector, rate) for rate in (SLOWED, 1)}
        browser.close()
    fetched = first[0][1]
    return Seen(
        first_kib=sum(fetched.values()) / KIB,
        first_scripts_kib=sum(size for name, size in fetched.items() if name.endswith(".js")) / KIB,
        all_kib=sum(len(file.gzipped) for file in built().files.values()) / KIB,
        first_ms=[shown for shown, _ in first],
        screens=list(screens.values()),
        key_slowed_ms=keys[SLOWED],
        key_as_is_ms=keys[1],
    )


class _Visitor:
    """A signed-in person's browser."""

    def __init__(self, browser: Browser, origin: str, token: str) -> None:
        self._browser = browser
        self._origin = origin
        self._cookie: Any = {"name": "svc_session", "value": token, "url": origin}
        self._usual = self._context()

    def _context(self) -> BrowserContext:
        context = self._browser.new_context(viewport={"width": 1280, "height": 800})
        context.add_cookies([self._cookie])
        context.set_default_timeout(WAIT_MS)
        return context

    def first(self, path: str, selector: str) -> tuple[float, dict[str, int]]:
        """A visit with nothing in the cache, slowed: ms, and the bytes of each answer with its head."""
        context = self._context()
        page = context.new_page()
        finished: list[Request] = []

        def note(request: Request) -> None:
            finished.append(request)

        page.on("requestfinished", note)
        shown = self._open(page, path, selector, SLOWED)
        page.wait_for_load_state("load")
        fetched = {request.url: _size(request) for request in finished if "/api/" not in request.url}
        context.close()
        return shown, fetched

    def visit(self, path: str, selector: str, rate: int) -> float:
        """Open *path* in a tab of ours; ms until what *selector* finds is painted."""
        page = self._usual.new_page()
        page.goto(self._origin + _BEFORE)
        shown = self._open(page, path, selector, rate)
        page.close()
        return shown

    def keys(self, path: str, selector: str, rate: int) -> list[float]:
        """ms from a key that moves down the list until it has been painted, many times."""
        page = self._usual.new_page()
        page.goto(self._origin + _BEFORE)
        page.add_init_script(_KEY)
        self._open(page, path, selector, rate)
        took = []
        for _ in range(KEYS):
            with page.expect_console_message(lambda line: line.text.startswith("key")) as said:
                page.keyboard.press("j")
            took.append(_figure(said.value))
        page.close()
        return took

    def _open(self, page: Page, path: str, selector: str, rate: int) -> float:
        devtools: CDPSession = page.context.new_cdp_session(page)
        devtools.send("Emulation.setCPUThrottlingRate", {"rate": rate})
        page.add_init_script(_SHOWN.replace("SELECTOR", msgspec.json.encode(selector).decode()))
        # The page says so itself: to ask it again and again would slow it.
        with page.expect_console_message(lambda line: line.text.startswith("shown")) as said:
            page.goto(self._origin + path, wait_until="commit")
        return _figure(said.value)


def _figure(said: ConsoleMessage) -> float:
    return float(said.text.partition(" ")[2])


def _size(request: Request) -> int:
    sizes = request.sizes()
    return sizes["responseBodySize"] + sizes["responseHeadersSize"]


@contextmanager
def _serving(data: Path) -> Iterator[Server]:
    port, operator_port = free_port(), free_port()
    command = ["env", "SVC_TOOLS__CALLS_PER_MINUTE=100000", *program(data, port, operator_port)]
    with running(
        command, port, log=data.with_suffix(".log"), ready=lambda: is_ready(operator_port, data)
    ) as server:
        yield server


def _fill(data: Path) -> str:
    """Make embeds, and an owner; returns the owner's session."""

    async def make() -> str:
        async with inline_store(WallClock(), data / DATABASE, prepare=migrate_to_head) as store:
            return await store.write(_owner)

    return trio.run(make)


def _owner(tx: Tx) -> str:
    [organization] = organizations.list_all(tx.conn)
    for number in range(EMBEDS):
        embeds.create(tx, organization.id, name=f"Embed {number}", blocks=(HeroBlock(title="Lamps"),))
    new = NewAccount(email="owner@bench.example", name="Olga", home_organization_id=organization.id)
    person = accounts.create(tx, new)
    members.add(tx, operator_call(organization.id), person.id, "owner")
    token = new_key(SESSION, SYSTEM)
    sessions.create(tx, person.id, digest(token), "bench")
    return token


def show(seen: Seen) -> list[Target]:
    """Print what was seen; returns the targets."""
    rows: list[list[str | float]] = [["first visit", median(seen.first_ms), max(seen.first_ms), "", ""]]
    rows += [_row(one.name, one.slowed_ms, one.as_is_ms) for one in seen.screens]
    rows.append(_row("a key", seen.key_slowed_ms, seen.key_as_is_ms))
    print_table(
        f"Chromium, {SUBMISSIONS:,} submissions and contacts, ms until painted, medians of {VISITS}",
        ["", f"slowed {SLOWED} times", "worst", "as it is", "worst"],
        rows,
    )
    sizes = {
        "first visit": (seen.first_kib, FIRST_KIB_MAX),
        "its scripts": (seen.first_scripts_kib, FIRST_SCRIPTS_KIB_MAX),
        "all screens": (seen.all_kib, ALL_KIB_MAX),
    }
    times = {f"shown, {one.name}": (median(one.slowed_ms), SHOWN_MS_MAX) for one in seen.screens}
    times["a key"] = (median(seen.key_slowed_ms), KEY_MS_MAX)
    return [
        Target(name=name, figure=figure, bound=bound, unit=unit)
        for unit, targets in (("KiB", sizes), ("ms", times))
        for name, (figure, bound) in targets.items()
    ]


def _row(name: str, slowed_ms: list[float], as_is_ms: list[float]) -> list[str | float]:
    return [name, median(slowed_ms), max(slowed_ms), median(as_is_ms), max(as_is_ms)]
