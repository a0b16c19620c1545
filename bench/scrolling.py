"""Scrolling of 100,000 records and 10,000 conversations in Chromium, beside the same rows as plain HTML."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Final

import msgspec
from playwright.sync_api import Browser, Page, sync_playwright

from bench import _scroll_world, _scrolls
from bench._machine import Server, free_port, is_ready, program, running
from bench._report import Target, print_table, print_targets, save
from bench._screens_in_browser import require_chromium
from bench._scrolls import FRAME_PX, LATE_MS, SCROLL_SECONDS, WAYS, Frames, Scrolled, Work
from bench._static_page import serving as serving_static
from bench._world import workspace

RECORDS: Final = 100_000
CONVERSATIONS: Final = 10_000
ROUNDS: Final = 3
LATE_PERCENT_MAX: Final = 2

LISTS: Final = (
    Scrolled(
        name=f"{RECORDS:,} records",
        path=f"/app/records/{_scroll_world.OBJECT}",
        scroller=".grid",
        row=".grid-row",
        height=40,
    ),
    Scrolled(
        name=f"{CONVERSATIONS:,} conversations",
        path="/app/inbox",
        scroller=".inbox-scroll",
        row=".line",
        height=76,
    ),
)


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """One list scrolled one way, in each round; `html` is the same rows as a page without a program."""

    name: str
    way: str
    rate: int
    ours: list[Frames]
    html: list[Frames]


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """What a frame of one list costs the main thread."""

    name: str
    ours: Work
    html: Work


def main() -> None:
    """Measure, print, and say which targets hold."""
    with workspace() as space:
        found, costs = _measure(space)
    _show(found, costs)


def _measure(space: Path) -> tuple[list[Found], list[Cost]]:
    data = space / "scrolling"
    token = _scroll_world.make(data, records=RECORDS, conversations=CONVERSATIONS)
    path = require_chromium()
    with _serving(data) as server, sync_playwright() as playwright:
        # Bars are hidden where there is no window.
        browser = playwright.chromium.launch(
            executable_path=path,
            args=["--no-sandbox", "--disable-gpu"],
            ignore_default_args=["--hide-scrollbars"],
        )
        found: list[Found] = []
        costs = []
        origin = f"http://127.0.0.1:{server.port}"
        for one in LISTS:
            with _pages(browser, origin, token, one) as (ours, html):
                work: tuple[list[Work], list[Work]] = ([], [])
                for _ in range(ROUNDS):
                    for kept, page in zip(work, (ours, html), strict=True):
                        kept.append(_scrolls.work_of(page, one))
                        page.evaluate("(it) => { document.querySelector(it).scrollTop = 0; }", one.scroller)
                costs.append(
                    Cost(name=one.name, ours=_scrolls.middle(work[0]), html=_scrolls.middle(work[1]))
                )
            for way in WAYS:
                for rate in LATE_MS:
                    found.append(Found(name=one.name, way=way, rate=rate, ours=[], html=[]))
                    for _ in range(ROUNDS):
                        with _pages(browser, origin, token, one) as (ours, html):
                            found[-1].ours.append(_scrolls.frames_of(ours, one, way, rate))
                            found[-1].html.append(_scrolls.frames_of(html, one, way, rate))
        browser.close()
    return found, costs


@contextmanager
def _pages(browser: Browser, origin: str, token: str, one: Scrolled) -> Iterator[tuple[Page, Page]]:
    """The list as the program shows it, and as HTML."""
    ours = _scrolls.open_page(browser, origin, token, one.path, one)
    made = _scrolls.open_page(browser, origin, token, one.path, one)
    with serving_static(_scrolls.as_html(made, one), origin) as static_origin:
        made.context.close()
        html = _scrolls.open_page(browser, static_origin, token, "/", one)
        yield ours, html
        ours.context.close()
        html.context.close()


@contextmanager
def _serving(data: Path) -> Iterator[Server]:
    port, operator_port = free_port(), free_port()
    command = ["env", "SVC_TOOLS__CALLS_PER_MINUTE=100000", *program(data, port, operator_port)]
    with running(
        command, port, log=data.with_suffix(".log"), ready=lambda: is_ready(operator_port, data)
    ) as server:
        yield server


def _show(found: list[Found], costs: list[Cost]) -> None:
    print_table(
        f"CPU ms of the main thread for a frame of {FRAME_PX} px, not slowed, medians of {ROUNDS}",
        ["", "all", "script", "style", "layout"],
        [
            [f"{one.name}{what}", work.all_ms, work.script_ms, work.style_ms, work.layout_ms]
            for one in costs
            for what, work in (("", one.ours), (", as HTML", one.html))
        ],
    )
    print_table(
        f"Late frames of scrolls of {SCROLL_SECONDS} seconds, medians of {ROUNDS}",
        ["", "by", "slowed", "late over ms", "late %", "longest ms", "as HTML %", "longest ms"],
        [
            [
                one.name,
                one.way,
                str(one.rate),
                str(LATE_MS[one.rate]),
                _late(one.ours),
                median(frames.longest_ms for frames in one.ours),
                _late(one.html),
                median(frames.longest_ms for frames in one.html),
            ]
            for one in found
        ],
    )
    targets = [
        Target(
            name=f"late frames, {one.name}, by {one.way}, slowed {one.rate} times",
            figure=_late(one.ours),
            bound=LATE_PERCENT_MAX,
            unit="%",
        )
        for one in found
    ]
    print_targets(targets)
    save("scrolling", {"frames": found, "work": costs}, targets)


def _late(rounds: list[Frames]) -> float:
    return median(frames.late_percent for frames in rounds)
