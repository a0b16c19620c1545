"""Taking pictures of scenes, and comparing them with the kept ones."""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal

from playwright.sync_api import Browser, BrowserContext, CDPSession, Page, Route

from tests.browser.screens.pictures.scenes import CONNECTED, Scene
from tests.browser.screens.pictures.stage import HERE, NOW_MS, ORIGIN, Stage

Theme = Literal["light", "dark"]

KEPT: Final = HERE / "kept"
IMAGES: Final = Path(__file__).parents[4] / "docs" / "images"
SHOWN: Final = {
    f"{name}-{theme}": IMAGES / f"screen-{name.removesuffix('-full')}-{theme}.webp"
    for name in ("home-full", "records-full", "record-full", "board-full", "embed-full")
    for theme in ("light", "dark")
} | {f"allow-{app}-full-light": IMAGES / f"screen-allow-{app}-light.webp" for app in CONNECTED}
"""The kept pictures that README and the guides show, and where they have them: so those do not age."""
ARTIFACTS: Final = Path(__file__).parents[3] / "artifacts" / "screens"
QUALITY: Final = 60
TILE_PX: Final = 8
TILE_DIFFERENCE: Final = 12
"""Of 255, in the mean of a tile; what differs less is how letters are smoothed and pictures compressed."""
TILES_THAT_MAY_DIFFER: Final = 0.001
"""Of all tiles: 16 of a desk's 16,000."""
TRIES: Final = 60
PAUSE_MS: Final = 120
_STILL_MS: Final = 400
"""Longer than a screen waits before it asks for a preview."""
_QUESTIONS: Final = "**/app/api/tools/*"
_SHOWN: Final = """
async ([wanted, unwanted]) => {
  const frame = () => new Promise(requestAnimationFrame);
  const until = performance.now() + 15_000;
  while (!document.querySelector(wanted) || (unwanted && document.querySelector(unwanted))) {
    if (performance.now() > until) throw new Error(`never ${wanted} without ${unwanted}`);
    await frame();
  }
  await document.fonts.ready;
  await frame();
}
"""
_DIFFERENCE: Final = """
async ([kept, taken, tile, least]) => {
  const tiles = async (data) => {
    const blob = await (await fetch(`data:image/*;base64,${data}`)).blob();
    const { width, height } = await createImageBitmap(blob);
    const [resizeWidth, resizeHeight] = [Math.ceil(width / tile), Math.ceil(height / tile)];
    const small = await createImageBitmap(blob, { resizeWidth, resizeHeight, resizeQuality: "high" });
    const context = new OffscreenCanvas(small.width, small.height).getContext("2d");
    context.drawImage(small, 0, 0);
    return context.getImageData(0, 0, small.width, small.height);
  };
  const [one, other] = [await tiles(kept), await tiles(taken)];
  if (one.width !== other.width || one.height !== other.height) return 1;
  let differ = 0;
  for (let at = 0; at < one.data.length; at += 4) {
    const apart = (channel) => Math.abs(one.data[at + channel] - other.data[at + channel]);
    if (Math.max(apart(0), apart(1), apart(2)) > least) differ += 1;
  }
  return differ / (one.data.length / 4);
}
"""
_SHOWS: Final = {
    "full": ("h1, .notice", ".skeleton"),
    "empty": ("h1", ".skeleton"),
    "loading": (".skeleton", ""),
    "failed": (".error-box, .notice", ""),
    "cut off": (".error-box, .notice", ""),
}


def digest_of(shot: bytes) -> str:
    return sha256(shot).hexdigest()[:24]


@cache
def digests() -> dict[str, str]:
    """By name, the digest of the shot that was kept: the same Chromium mostly draws the very same."""
    found: dict[str, str] = json.loads((KEPT / "digests.json").read_text())
    return found


def _keep_waiting(_route: Route) -> None:
    """Never answer; it ends with the page."""


class Camera:
    """One page, on which scenes are shown one after the other."""

    def __init__(self, context: BrowserContext, stage: Stage) -> None:
        self.page: Final[Page] = context.new_page()
        self._stage = stage
        self._light_table = context.new_page()
        self._devtools: CDPSession = context.new_cdp_session(self.page)

    def show(self, scene: Scene) -> None:
        """Open *scene*, in the light."""
        if self.page.url.startswith(ORIGIN):  # what the scene before has kept in the browser
            self.page.evaluate("localStorage.clear(); sessionStorage.clear()")
        # Six questions that wait take all connections of the browser: so none of the page before may be left,
        # and those of a page that loads never leave the browser.
        self.page.goto("about:blank")
        self.page.unroute(_QUESTIONS)
        if scene.state == "loading":
            self.page.route(_QUESTIONS, _keep_waiting)
        self._stage.state = scene.state
        self._stage.is_viewer = scene.is_viewer
        self.page.emulate_media(color_scheme="light", reduced_motion="reduce")
        self.page.set_viewport_size({"width": scene.width, "height": scene.height})
        self.page.goto(ORIGIN + scene.path)
        self.page.evaluate(_SHOWN, list(_SHOWS[scene.state]))
        if scene.act:
            scene.act(self.page)

    def turn(self, theme: Theme) -> None:
        """Show the same in *theme*."""
        self.page.emulate_media(color_scheme=theme)

    def shot(self) -> bytes:
        """What is shown, pixel by pixel."""
        return self._take(format="png", optimizeForSpeed=True)

    def picture(self) -> bytes:
        """What is shown, small enough to be kept."""
        return self._take(format="webp", quality=QUALITY)

    def _take(self, **how: Any) -> bytes:
        return base64.b64decode(self._devtools.send("Page.captureScreenshot", how)["data"])

    def wait_until_still(self) -> bytes:
        """The shot of what is shown, once it stays so."""
        before = b""
        while (now := self.shot()) != before:
            before = now
            self.page.wait_for_timeout(_STILL_MS)
        return now

    def difference(self, one: bytes, other: bytes) -> float:
        """The part of the tiles in which two pictures differ."""
        pair = [base64.b64encode(picture).decode() for picture in (one, other)]
        found: float = self._light_table.evaluate(_DIFFERENCE, [*pair, TILE_PX, TILE_DIFFERENCE])
        return found


@contextmanager
def camera(browser: Browser, stage: Stage, *, is_phone: bool = False) -> Iterator[Camera]:
    """A camera with the clock and the language of the kept pictures."""
    context = browser.new_context(
        locale="en-GB",
        timezone_id="Europe/London",
        has_touch=is_phone,
        is_mobile=is_phone,
        reduced_motion="reduce",
    )
    context.set_default_timeout(20_000)
    context.clock.set_fixed_time(NOW_MS / 1_000)
    yield Camera(context, stage)
    context.close()


def check(taker: Camera, name: str) -> str | None:
    """What is wrong with what is shown now, beside the kept picture *name*; None if it is like that one.

    It may take a moment until it is: a picture may be taken before the last answer is drawn. One that differs
    is written to `tests/artifacts/screens`.
    """
    file = KEPT / f"{name}.webp"
    kept = file.read_bytes() if file.exists() else None
    differing = 1.0
    for _ in range(TRIES):
        if digest_of(taker.shot()) == digests().get(name):
            return None
        # Both compressed: a sharp picture differs from a compressed one in the colour of thin lines.
        if kept and (differing := taker.difference(kept, taker.picture())) <= TILES_THAT_MAY_DIFFER:
            return None
        taker.page.wait_for_timeout(PAUSE_MS)
    ARTIFACTS.mkdir(parents=True, exist_ok=True)
    (ARTIFACTS / file.name).write_bytes(taker.picture())
    return f"{name}: {differing:.2%} of it differ from the kept picture (see {ARTIFACTS})"
