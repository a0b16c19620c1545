"""Scrolls in Chromium: which frames came late, and what the main thread did for each."""

import time
from collections.abc import Callable
from itertools import pairwise
from statistics import median
from typing import Any, Final

import msgspec
from playwright.sync_api import Browser, CDPSession, Page

SCROLL_SECONDS: Final = 10
PX_A_SECOND: Final = 3_000
FRAME_PX: Final = 50
"""`PX_A_SECOND` at 60 frames a second."""
STEPS: Final = 240
WINDOW: Final[Any] = {"width": 1280, "height": 800}
LATE_MS: Final = {1: 17, 4: 34}
"""A frame that takes longer is late, by how many times the processor is slowed."""
_WAIT_MS: Final = 60_000
_SETTLE_MS: Final = 1_500
_WARM_PX: Final = 1_500
"""Scrolled before, so that code is compiled and what is loaded later is there."""
_BAR_PX: Final = (5, 14)
"""Where the thumb of the scroll bar is, from the end and the top of what it scrolls."""
_ASIDE: Final = (640, 4)
"""Where the pointer is over nothing that scrolls."""
_MOVES_A_SECOND: Final = 60

_FRAMES: Final = """() => {
    window.framesSeen = [];
    window.scrollsSeen = [];
    const look = (at) => { framesSeen.push(at); requestAnimationFrame(look); };
    requestAnimationFrame(look);
    const note = ({ timeStamp }) => scrollsSeen.push(timeStamp);
    document.addEventListener("scroll", note, { capture: true, passive: true });
}"""
"""Notes when each frame begins, in ms, and when something was scrolled. A missed frame leaves a gap."""
_STEP: Final = """([selector, steps, px]) => new Promise((done) => {
    const scroller = document.querySelector(selector);
    let top = scroller.scrollTop;
    let left = steps;
    const step = () => {
        if (left === 0) return done();
        left -= 1;
        top += px;
        scroller.scrollTop = top;
        requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
})"""
"""Scrolls by so many px in each frame, however long frames take."""
_REPEAT: Final = """([selector, row, height, many]) => {
    const body = document.querySelector(selector).querySelector(row).parentElement;
    const rows = [...body.children];
    for (let at = 0; at < many; at += 1) {
        const made = at < rows.length ? rows[at] : body.appendChild(rows[at % rows.length].cloneNode(true));
        made.style.insetBlockStart = "0";
        made.style.transform = `translateY(${at * height}px)`;
    }
    body.style.blockSize = `${many * height}px`;
}"""
"""Has so many rows in the page as HTML, without the program."""


class Scrolled(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is scrolled."""

    name: str
    path: str
    scroller: str
    row: str
    height: int
    """Of a row, in px."""


class Frames(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a scroll of `SCROLL_SECONDS`."""

    frames: int
    late_percent: float
    """Of the frames, those that took longer than `LATE_MS`."""
    longest_ms: float


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """CPU ms of the main thread for a frame of `FRAME_PX`, not slowed: other programs' time is not in it."""

    all_ms: float
    script_ms: float
    style_ms: float
    layout_ms: float


def open_page(browser: Browser, origin: str, token: str, path: str, scrolled: Scrolled) -> Page:
    """A page of a signed-in person that shows what is scrolled, warm."""
    context = browser.new_context(viewport=WINDOW)
    context.add_cookies([{"name": "svc_session", "value": token, "url": origin}])
    context.set_default_timeout(_WAIT_MS)
    page = context.new_page()
    page.goto(origin + path)
    page.wait_for_selector(scrolled.row)
    page.wait_for_timeout(_SETTLE_MS)
    return page


def as_html(page: Page, scrolled: Scrolled) -> str:
    """The page with as many rows as a scroll passes, all of them in it."""
    many = (PX_A_SECOND * SCROLL_SECONDS + _WARM_PX) // scrolled.height + WINDOW["height"] // scrolled.height
    page.evaluate(_REPEAT, [scrolled.scroller, scrolled.row, scrolled.height, many])
    html: str = page.evaluate("document.documentElement.outerHTML")
    return html


def by_wheel(page: Page, devtools: CDPSession, scrolled: Scrolled) -> None:
    """Turn the wheel, without a rest."""
    box = page.locator(scrolled.scroller).bounding_box()
    assert box is not None
    devtools.send(
        "Input.synthesizeScrollGesture",
        {
            "x": box["x"] + box["width"] / 2,
            "y": box["y"] + box["height"] / 2,
            "yDistance": -PX_A_SECOND * SCROLL_SECONDS,
            "speed": PX_A_SECOND,
            "gestureSourceType": "mouse",
        },
    )


def by_bar(page: Page, _devtools: CDPSession, scrolled: Scrolled) -> None:
    """Draw the thumb of the scroll bar from the top to the bottom of what is loaded."""
    box = page.locator(scrolled.scroller).bounding_box()
    assert box is not None
    x, top = box["x"] + box["width"] - _BAR_PX[0], box["y"] + _BAR_PX[1]
    page.mouse.move(x, top)
    page.mouse.down()
    began = time.monotonic()
    while (passed := (time.monotonic() - began) / SCROLL_SECONDS) < 1:
        page.mouse.move(x, top + (box["height"] - 2 * _BAR_PX[1]) * passed)
        time.sleep(1 / _MOVES_A_SECOND)
    page.mouse.up()


WAYS: Final[dict[str, Callable[[Page, CDPSession, Scrolled], None]]] = {
    "wheel": by_wheel,
    "scroll bar": by_bar,
}


def frames_of(page: Page, scrolled: Scrolled, way: str, rate: int) -> Frames:
    """Scroll by that way, the processor slowed by so much."""
    devtools = page.context.new_cdp_session(page)
    page.evaluate(_STEP, [scrolled.scroller, _WARM_PX // FRAME_PX, FRAME_PX])
    page.evaluate("(selector) => { document.querySelector(selector).scrollTop = 0; }", scrolled.scroller)
    page.wait_for_timeout(_SETTLE_MS)
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": rate})
    page.evaluate(_FRAMES)
    WAYS[way](page, devtools, scrolled)
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    scrolls: list[float] = page.evaluate("scrollsSeen")
    seen: list[float] = page.evaluate("framesSeen")
    during = [at for at in seen if scrolls[0] - LATE_MS[1] <= at <= scrolls[-1]]
    gaps = [after - before for before, after in pairwise(during)]
    return Frames(
        frames=len(gaps),
        late_percent=100 * sum(gap > LATE_MS[rate] for gap in gaps) / len(gaps),
        longest_ms=max(gaps),
    )


def work_of(page: Page, scrolled: Scrolled) -> Work:
    """Scroll `STEPS` frames, and ask what the main thread did."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.mouse.move(*_ASIDE)
    page.evaluate(_STEP, [scrolled.scroller, _WARM_PX // FRAME_PX, FRAME_PX])
    page.wait_for_timeout(_SETTLE_MS)
    before = _metrics(devtools)
    page.evaluate(_STEP, [scrolled.scroller, STEPS, FRAME_PX])
    after = _metrics(devtools)
    each = {name: (after[name] - before[name]) * 1e3 / STEPS for name in before}
    return Work(
        all_ms=each["TaskDuration"],
        script_ms=each["ScriptDuration"],
        style_ms=each["RecalcStyleDuration"],
        layout_ms=each["LayoutDuration"],
    )


def middle(found: list[Work]) -> Work:
    """Of each figure the median."""
    return Work(**{name: median(getattr(one, name) for one in found) for name in Work.__struct_fields__})


def _metrics(devtools: CDPSession) -> dict[str, float]:
    names = ("TaskDuration", "ScriptDuration", "RecalcStyleDuration", "LayoutDuration")
    found = {one["name"]: one["value"] for one in devtools.send("Performance.getMetrics")["metrics"]}
    return {name: found[name] for name in names}
