"""The browser's half of the screens: how soon they show and answer in Chromium, and what a visit fetches."""

import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median
from typing import Final

import msgspec
import trio
from playwright.sync_api import sync_playwright

from bench._archive import fill_archive
from bench._machine import Server, free_port, is_ready, program, running, use_all_cores
from bench._report import Target, print_table
from bench._screen_visits import SCROLL_SECONDS, SLOWED, Visitor
from bench._static_page import serving as serving_static
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
VISITS: Final = 7
SCROLLS: Final = 3

KIB: Final = 1_024
FIRST_KIB_MAX: Final = 80
FIRST_SCRIPTS_KIB_MAX: Final = 45
ALL_KIB_MAX: Final = 440
SHOWN_MS_MAX: Final = 300
KEY_MS_MAX: Final = 50
LATE_PERCENT_MAX: Final = 2
LATE_MS: Final = {1: 17, SLOWED: 34}
"""A frame of a scroll that takes longer is late, by how much the processor is slowed."""

PLAIN: Final = "plain"
RECORDS: Final = "records"
_ROWS: Final = "table[aria-label={}] tbody tr"
_HOLD_EVERY: Final = """UPDATE submissions SET state = 'held', held_reason = 'several', contact_id = NULL,
    filed_at = NULL, candidates = '[]' WHERE rowid % ? = 0"""


class Screen(msgspec.Struct, frozen=True, kw_only=True):
    """One address, and how soon it shows."""

    name: str
    went_ms: list[float]
    """Come to from another screen by a link, slowed."""
    again_ms: list[float]
    """Loaded once more in the same tab, slowed."""
    new_tab_ms: list[float]
    """In a new tab, slowed."""


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
    static_ms: list[float]
    """The plain list's page as HTML with its style and without a script, in a new tab, slowed: the floor."""
    key_ms: list[float]
    """From a key until the list has answered it, slowed."""
    late_percent: dict[int, list[float]]
    """Of the frames of a scroll over all records, those that were late, by how much it was slowed."""


def require_chromium() -> str:
    """The path of Chromium; ends the program with a word of advice where there is none."""
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        print("This bench needs Chromium: apt-get install chromium", file=sys.stderr)
        sys.exit(2)
    return path


def measure(space: Path) -> Seen:
    """Come to every screen that has a list, by each way in turns."""
    data = space / "browser"
    fill_archive(data, SUBMISSIONS, organizations=1, forms=FORMS, contacts_every=1)
    with closing(sqlite3.connect(data / DATABASE)) as db:
        db.execute(_HOLD_EVERY, (HELD_EVERY,))
        db.commit()
        [(form_id,), *_] = db.execute("SELECT id FROM forms").fetchall()
        [(held_id,)] = db.execute("SELECT max(id) FROM submissions WHERE state = 'held'").fetchall()
        [(record_id,)] = db.execute("SELECT id FROM records LIMIT 1 OFFSET 500").fetchall()
    token = _fill(data)
    rows = _ROWS.format("Submissions")
    addresses = {
        PLAIN: ("/app/submissions", rows),
        "filtered by state": ("/app/submissions?state=Held", rows),
        "filtered by form": (f"/app/submissions?form={form_id}", rows),
        "searched": ("/app/submissions?q=petrova", rows),
        "searched, one in 100,000": ("/app/submissions?q=40001%40mail", rows),
        "searched, none found": ("/app/submissions?q=nobody", ".empty"),
        "open panel": (f"/app/submissions?state=Held&open={held_id}", ".panel dl"),
        "embeds": ("/app/embeds", _ROWS.format("Embeds")),
        "objects": ("/app/settings/objects", _ROWS.format("Objects")),
        "home": ("/app/", ".home-cards, .home-calm"),
        RECORDS: ("/app/records/contact", ".grid-row"),
        "a record": (f"/app/records/contact/{record_id}", ".record-timeline .entry"),
    }
    use_all_cores()  # Chromium is many processes
    with _serving(data) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=require_chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
        origin = f"http://127.0.0.1:{server.port}"
        visitor = Visitor(browser, origin, token)
        first = [visitor.first(*addresses[PLAIN]) for _ in range(VISITS)]
        for path, selector in addresses.values():
            visitor.visit(path, selector, 1)  # so that the files are in the cache, and its index is read
        screens = {name: Screen(name=name, went_ms=[], again_ms=[], new_tab_ms=[]) for name in addresses}
        static_ms = []
        with serving_static(visitor.html(*addresses[PLAIN]), origin) as static_origin:
            static = Visitor(browser, static_origin, token)
            for _ in range(VISITS):
                static_ms.append(static.visit("/", rows, SLOWED))
                for name, (path, selector) in addresses.items():
                    screens[name].went_ms.append(visitor.go(path, selector))
                    screens[name].again_ms.append(visitor.again(path, selector))
                    screens[name].new_tab_ms.append(visitor.visit(path, selector, SLOWED))
        key_ms = visitor.keys(*addresses[PLAIN])
        late_percent = {
            rate: [_late(visitor.scroll(*addresses[RECORDS], rate), bound) for _ in range(SCROLLS)]
            for rate, bound in LATE_MS.items()
        }
        browser.close()
    fetched = first[0][1]
    return Seen(
        first_kib=sum(fetched.values()) / KIB,
        first_scripts_kib=sum(size for name, size in fetched.items() if name.endswith(".js")) / KIB,
        all_kib=sum(len(file.gzipped) for file in built().files.values()) / KIB,
        first_ms=[shown for shown, _ in first],
        screens=list(screens.values()),
        static_ms=static_ms,
        key_ms=key_ms,
        late_percent=late_percent,
    )


def _late(frames: list[float], bound: float) -> float:
    return 100 * sum(frame > bound for frame in frames) / len(frames)


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
    rows = [_row("first visit", [], [], seen.first_ms), _row("plain HTML of it", [], [], seen.static_ms)]
    rows += [_row(one.name, one.went_ms, one.again_ms, one.new_tab_ms) for one in seen.screens]
    rows.append(_row("a key", seen.key_ms, [], []))
    print_table(
        f"Chromium slowed {SLOWED} times, {SUBMISSIONS:,} submissions and contacts, ms until painted,"
        f" medians of {VISITS}",
        ["", "by a link", "worst", "again", "worst", "in a new tab", "worst"],
        rows,
    )
    sizes = {
        "first visit": (seen.first_kib, FIRST_KIB_MAX),
        "its scripts": (seen.first_scripts_kib, FIRST_SCRIPTS_KIB_MAX),
        "all screens": (seen.all_kib, ALL_KIB_MAX),
    }
    print_table(
        f"A scroll of {SCROLL_SECONDS} seconds over {SUBMISSIONS:,} records, late frames, %",
        ["slowed", "late over ms", "median", "worst"],
        [[rate, LATE_MS[rate], median(late), max(late)] for rate, late in seen.late_percent.items()],
    )
    times = {f"shown, {one.name}": (median(one.went_ms), SHOWN_MS_MAX) for one in seen.screens}
    times["a key"] = (median(seen.key_ms), KEY_MS_MAX)
    return [
        Target(name=name, figure=figure, bound=bound, unit=unit)
        for unit, targets in (("KiB", sizes), ("ms", times))
        for name, (figure, bound) in targets.items()
    ] + [
        Target(
            name=f"late frames, slowed {rate} times", figure=median(late), bound=LATE_PERCENT_MAX, unit="%"
        )
        for rate, late in seen.late_percent.items()
    ]


def _row(name: str, *figures: list[float]) -> list[str | float]:
    return [name, *(one for some in figures for one in ((median(some), max(some)) if some else ("", "")))]
