"""What must hold on every screen: no serious fault of accessibility, nothing wider than the window."""

import os
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from svc.http.screens.assets import built
from svc.http.screens.own_paths import WAYS_IN
from tests.browser.places import Service

_AXE: Final = Path(__file__).parents[3] / "screens/node_modules/axe-core/axe.min.js"
_SETTLED: Final = """
new Promise((then) => setTimeout(then, 50)).then(() => {
  for (const animation of document.getAnimations()) {
    if (animation.effect.getComputedTiming().endTime === Infinity) animation.cancel();
    else animation.finish();
  }
})
"""
"""Ends what moves, and waits for none of it: a button that is busy turns for ever."""
_SMALL_TARGETS: Final = """
(least) => [...document.querySelectorAll("a, button, input, select, summary")]
  .filter((control) => control.checkVisibility() && !control.closest("p, .skip, .hidden"))
  .map((control) => [control.closest("label") ?? control, control])
  .filter(([target, control]) => {
    const { width, height } = target.getBoundingClientRect();
    const around = parseFloat(getComputedStyle(control, "::after").inset) || 0;
    return Math.min(width, height) - 2 * around < least && !control.matches("a[data-row]");
  })
  .map(([, control]) => control.outerHTML.slice(0, 120))
"""


def screens() -> list[str]:
    """The addresses of all screens within the frame that need no id."""
    paths = [screen.path for screen in built().manifest.screens]
    return [path for path in paths if path != "*" and "{" not in path and path not in WAYS_IN]


def ways_in() -> list[str]:
    """Those that a browser sees which is not signed in."""
    return sorted(WAYS_IN & {screen.path for screen in built().manifest.screens})


def faults(page: Page, *rules: str) -> list[str]:
    """What axe-core finds that is serious or critical, by all its rules or by some."""
    page.evaluate(_AXE.read_text())
    page.evaluate(_SETTLED)
    options = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
    found = page.evaluate("(options) => axe.run(document, options)", options)
    return [
        f"{page.url} {fault['id']}: {node['html'][:160]} {node['failureSummary'][:200]}"
        for fault in found["violations"]
        if fault["impact"] in {"serious", "critical"}
        for node in fault["nodes"]
    ]


def _open(page: Page, path: str) -> None:
    page.goto(path)
    page.wait_for_selector("h1")
    expect(page.locator(".skeleton")).to_have_count(0)


@pytest.mark.skipif(
    not _AXE.exists() and os.environ.get("CI") != "true", reason="`make screens` installs axe-core"
)
def test_no_screen_has_a_serious_fault(desk: Page, phone: Page, stranger: Page) -> None:
    """axe-core finds nothing serious on a desk, on a phone and, of the colours, in the dark."""
    found = []
    for page, paths in ((desk, screens()), (phone, screens()), (stranger, ways_in())):
        for path in paths:
            _open(page, path)
            found += faults(page)
            if page is not phone:
                page.emulate_media(color_scheme="dark")
                # Anew: Chromium may keep some inherited colours of the other scheme in a page that is open.
                _open(page, path)
                found += faults(page, "color-contrast")
                page.emulate_media(color_scheme="light")

    assert [] == found


def test_every_screen_fits_its_window(phone: Page, service: Service) -> None:
    """Nothing is wider than a phone, nor than 320 px, nor mirrored; what is touched has 24 px at least."""
    found: dict[str, Any] = {}
    for path in screens():
        _open(phone, path)
        for width, direction in ((390, "ltr"), (320, "ltr"), (390, "rtl")):
            phone.set_viewport_size({"width": width, "height": 844})
            phone.evaluate("(direction) => { document.documentElement.dir = direction }", direction)
            wide = phone.evaluate("document.documentElement.scrollWidth")
            if wide > width:
                found[f"{path} {width} {direction}"] = wide
        if small := phone.evaluate(_SMALL_TARGETS, 24):
            found[path] = small

    assert {} == found
