"""Taking pictures of scenes, and comparing them with the kept ones."""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal

from playwright.sync_api import Browser, BrowserContext, CDPSession, Page

from tests.browser.screens.pictures.scenes import Scene
from tests.browser.screens.pictures.stage import HERE, NOW_MS, ORIGIN, Stage

Theme = Literal["light", "dark"]

KEPT: Final = HERE / "kept"
ARTIFACTS: Final = Path(__file__).parents[3] / "artifacts" / "screens"
QUALITY: Final = 60
TILE_PX: Final = 8
TILE_DIFFERENCE: Final = 12
"""Of 255, in the mean of a tile; what differs less is how letters are smoothed and pictures compressed."""
TILES_THAT_MAY_DIFFER: Final = 0.001
"""Of all tiles: 16 of a desk's 16,000."""
_TRIES: Final = 12
_PAUSE_MS: Final = 120
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
    const blob = await (await fetch(`data:image/webp;base64,${data}`)).blob();
    const { width, height } = await createImageBitmap(blob);
    const size = { resizeWidth: Math.ceil(width / tile), resizeHeight: Math.ceil(height / tile), resizeQuality: "high" };
    const small = await createImageBitmap(blob, size);
    const context = new OffscreenCanvas(small.width, small.height).getContext("2d");
    context.drawImage(small, 0, 0);
    return context.getImageData(0, 0, small.width, small.height);
  };
  const [one, other] = [await tiles(kept), await tiles(taken)];
  if (one.width !== other.width || one.height !== other.height) return 1;
  let differ = 0;
  for (let at = 0; at < one.data.length; at += 4) {
    const most = Math.max(...[0, 1, 2].map((channel) => Math.abs(one.data[at + channel] - other.data[at + channel])));
    if (most > least) differ += 1;
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


@cache
def digests() -> dict[str, str]:
    """By name, the digest of the pixels that were kept: the same Chromium draws the very same."""
    found: dict[str, str] = json.loads((KEPT / "digests.json").read_text())
    return found


class Camera:
    """One page, on which scenes are shown one after the other."""

    def __init__(self, context: BrowserContext, stage: Stage) -> None:
        self.page: Final[Page] = context.new_page()
        self._stage = stage
        self._devtools: CDPSession = context.new_cdp_session(self.page)

    def show(self, scene: Scene) -> None:
        """Open *scene*, in the light."""
        self._stage.state = scene.state
        self._stage.is_viewer = scene.is_viewer
        self.page.emulate_media(color_scheme="light", reduced_motion="reduce")
        self.page.set_viewport_size({"width": scene.width, "height": scene.height})
        self.page.goto("about:blank")  # else a path with another `#` is the same page
        self.page.goto(ORIGIN + scene.path)
        self.page.evaluate(_SHOWN, list(_SHOWS[scene.state]))
        if scene.act:
            scene.act(self.page)

    def turn(self, theme: Theme) -> None:
        """Show the same in *theme*."""
        self.page.emulate_media(color_scheme=theme)

    def pixels(self) -> str:
        """The digest of what is shown."""
        return sha256(self._take(format="png", optimizeForSpeed=True)).hexdigest()[:24]

    def picture(self) -> bytes:
        """What is shown, as WebP."""
        return self._take(format="webp", quality=QUALITY)

    def _take(self, **how: Any) -> bytes:
        return base64.b64decode(self._devtools.send("Page.captureScreenshot", how)["data"])

    def wait_for(self, digest: str) -> bool:
        """Whether what is shown comes to have *digest*: a picture may be drawn before its last answer is."""
        for _ in range(_TRIES):
            if self.pixels() == digest:
                return True
            self.page.wait_for_timeout(_PAUSE_MS)
        return False

    def wait_until_still(self) -> str:
        """The digest of what is shown, once it stays so."""
        before = ""
        while (now := self.pixels()) != before:
            before = now
            self.page.wait_for_timeout(_PAUSE_MS)
        return now


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


def check(browser: Browser, taker: Camera, name: str) -> str | None:
    """What is wrong with what is shown now, beside the kept picture *name*; None if it is like that one.

    The picture that differs is in `tests/artifacts/screens`.
    """
    if taker.wait_for(digests().get(name, "")):
        return None
    taken, kept = taker.picture(), KEPT / f"{name}.webp"
    differing = difference(browser, kept.read_bytes(), taken) if kept.exists() else 1.0
    if differing <= TILES_THAT_MAY_DIFFER:
        return None
    ARTIFACTS.mkdir(parents=True, exist_ok=True)
    (ARTIFACTS / f"{name}.webp").write_bytes(taken)
    return f"{name}: {differing:.2%} of it differ from the kept picture (see {ARTIFACTS})"


def difference(browser: Browser, kept: bytes, taken: bytes) -> float:
    """The part of the tiles in which two pictures differ."""
    page = browser.new_page()
    pair = [base64.b64encode(picture).decode() for picture in (kept, taken)]
    found: float = page.evaluate(_DIFFERENCE, [*pair, TILE_PX, TILE_DIFFERENCE])
    page.close()
    return found
