"""Visits to screens in Chromium, and how long each takes until what is waited for has been painted."""

from itertools import pairwise
from typing import Any, Final

import msgspec
from playwright.sync_api import Browser, BrowserContext, CDPSession, ConsoleMessage, Page, Request

SLOWED: Final = 4
KEYS: Final = 10
WAIT_MS: Final = 20_000


_BEFORE: Final = "/docs/icon.svg"
"""What the tab shows before, so that the start of its process is not in the figure; a first visit's is."""
_ANOTHER: Final = "/app/account/sessions"
"""A screen from which others are come to: it asks for nothing that they ask for."""
_PAINTED: Final = """
    const painted = (what, since) => requestAnimationFrame(() => {
      const say = () => console.debug(what, performance.now() - since);
      scheduler.postTask(say, { priority: "user-blocking" });
    });
"""
"""Says how long it took until the page's own work on the next frame was done."""
_SHOWN: Final = """
    const waitFrom = (since) => {
      const seen = new MutationObserver(() => {
        if (!document.querySelector(SELECTOR)) return;
        seen.disconnect();
        painted("shown", since);
      });
      seen.observe(document, { childList: true, subtree: true });
    };
"""
_LOADED: Final = f"{_PAINTED}{_SHOWN} waitFrom(0);"
"""Notes when what is waited for has been painted, in ms since the page was asked for."""
_WENT: Final = f"""{_PAINTED}{_SHOWN}
    addEventListener("click", ({{ timeStamp }}) => waitFrom(timeStamp), true);
"""
"""Notes when what is waited for has been painted, in ms since a click."""
_LINK: Final = """(href) => {
    const link = document.createElement("a");
    Object.assign(link, { href, textContent: "There" });
    Object.assign(link.style, { position: "fixed", inset: "0 auto auto 50%", zIndex: 9 });
    document.body.append(link);
}"""
_LINK_AT: Final = (650, 8)
_HOVER_MS: Final = 200
"""From the pointer on a link to the click."""
_SETTLE_MS: Final = 300
_KEY: Final = f"""{_PAINTED}
    addEventListener("keydown", ({{ timeStamp }}) => painted("key", timeStamp), true);
"""
"""Notes how long it is from a key to the end of the frame that answers it."""
SCROLL_SECONDS: Final = 10
_SCROLLED_PX_A_SECOND: Final = 3_000
_FRAMES: Final = """() => {
    const frames = [];
    const look = (at) => { frames.push(at); requestAnimationFrame(look); };
    requestAnimationFrame(look);
    window.framesSeen = () => frames;
}"""
"""Notes when each frame begins, in ms: one that is missed leaves a gap."""


class Visitor:
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

    def again(self, path: str, selector: str) -> float:
        """Load *path* once more in a tab that shows it, slowed; ms until what *selector* finds is painted."""
        page = self._usual.new_page()
        page.goto(self._origin + path)
        page.wait_for_selector(selector)
        page.wait_for_timeout(_SETTLE_MS)
        shown = self._open(page, path, selector, SLOWED)
        page.close()
        return shown

    def html(self, path: str, selector: str) -> str:
        """The page at *path* as it stands when all of it is there."""
        page = self._usual.new_page()
        page.goto(self._origin + path)
        page.wait_for_selector(selector)
        page.wait_for_timeout(_SETTLE_MS)
        html: str = page.evaluate("document.documentElement.outerHTML")
        page.close()
        return html

    def go(self, path: str, selector: str) -> float:
        """Go to *path* by a link on another screen, slowed; ms from the click until it is painted."""
        page = self._usual.new_page()
        page.add_init_script(_with(_WENT, selector))
        page.goto(self._origin + _ANOTHER)
        page.wait_for_selector("h1")
        page.evaluate(_LINK, path)
        page.wait_for_timeout(_SETTLE_MS)
        _slow(page, SLOWED)
        page.mouse.move(*_LINK_AT)
        page.wait_for_timeout(_HOVER_MS)
        with page.expect_console_message(lambda line: line.text.startswith("shown")) as said:
            page.mouse.down()
            page.mouse.up()
        page.close()
        return _figure(said.value)

    def keys(self, path: str, selector: str) -> list[float]:
        """ms from a key that moves down the list until it has been painted, slowed, many times."""
        page = self._usual.new_page()
        page.goto(self._origin + _BEFORE)
        page.add_init_script(_KEY)
        self._open(page, path, selector, SLOWED)
        page.wait_for_timeout(_SETTLE_MS)
        took = []
        for _ in range(KEYS):
            with page.expect_console_message(lambda line: line.text.startswith("key")) as said:
                page.keyboard.press("j")
            took.append(_figure(said.value))
        page.close()
        return took

    def scroll(self, path: str, selector: str, rate: int) -> list[float]:
        """ms between one frame and the next while *path* is scrolled as by a finger, without a rest."""
        page = self._usual.new_page()
        page.goto(self._origin + _BEFORE)
        self._open(page, path, selector, 1)
        page.wait_for_timeout(_SETTLE_MS)
        _slow(page, rate)
        box = page.locator(selector).first.bounding_box()
        assert box is not None
        page.evaluate(_FRAMES)
        page.context.new_cdp_session(page).send(
            "Input.synthesizeScrollGesture",
            {
                "x": box["x"] + 200,
                "y": box["y"] + 200,
                "yDistance": -_SCROLLED_PX_A_SECOND * SCROLL_SECONDS,
                "speed": _SCROLLED_PX_A_SECOND,
            },
        )
        began: list[float] = page.evaluate("framesSeen()")
        page.close()
        return [after - before for before, after in pairwise(began)]

    def _open(self, page: Page, path: str, selector: str, rate: int) -> float:
        _slow(page, rate)
        page.add_init_script(_with(_LOADED, selector))
        # The page says so itself: to ask it again and again would slow it.
        with page.expect_console_message(lambda line: line.text.startswith("shown")) as said:
            page.goto(self._origin + path, wait_until="commit")
        return _figure(said.value)


def _slow(page: Page, rate: int) -> None:
    devtools: CDPSession = page.context.new_cdp_session(page)
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": rate})


def _with(script: str, selector: str) -> str:
    return script.replace("SELECTOR", msgspec.json.encode(selector).decode())


def _figure(said: ConsoleMessage) -> float:
    return float(said.text.partition(" ")[2])


def _size(request: Request) -> int:
    sizes = request.sizes()
    return sizes["responseBodySize"] + sizes["responseHeadersSize"]
