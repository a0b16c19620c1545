"""Light and dark, switched while a page is open."""

from typing import Final

import pytest
from playwright.sync_api import Page

_COLOURS: Final = """
() => [...document.querySelectorAll("#content *")].filter((one) => one.checkVisibility()).map((one) => {
  const { color, backgroundColor, borderTopColor } = getComputedStyle(one);
  return [one.tagName, color, backgroundColor, borderTopColor].join(" ");
})
"""
_SETTLED: Final = """
async () => {
  do {
    await new Promise(requestAnimationFrame);
    await Promise.allSettled(document.getAnimations().map((one) => one.finished));
  } while (document.getAnimations().length);
}
"""
"""What inherits a colour that changes begins to change after it."""


@pytest.mark.parametrize("path", ["/app/submissions", "/app/settings/objects", "/app/settings/audit"])
def test_a_page_that_is_open_changes_all_its_colours(desk: Page, path: str) -> None:
    """With the system's scheme and by the own choice, to what a page that is opened then has."""
    desk.goto(path)
    desk.wait_for_selector("tbody tr")
    light = desk.evaluate(_COLOURS)
    switched = []
    for switch in ("scheme", "choice"):
        if switch == "scheme":
            desk.emulate_media(color_scheme="dark")
        else:
            desk.emulate_media(color_scheme="light")
            desk.evaluate("document.documentElement.dataset.theme = 'dark'")
        desk.evaluate(_SETTLED)
        switched.append(desk.evaluate(_COLOURS))
    desk.emulate_media(color_scheme="dark")
    desk.reload()
    desk.wait_for_selector("tbody tr")
    desk.evaluate(_SETTLED)
    dark = desk.evaluate(_COLOURS)

    assert light != dark
    assert [[], []] == [sorted(set(dark) ^ set(one)) for one in switched]
