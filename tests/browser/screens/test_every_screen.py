"""What must hold on every screen: it looks as it did, has no serious fault, and fits its window.

The scenes are shown on a stage, with recorded answers: see `pictures/README.md`. Each is opened once for all
of this.
"""

import os
import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec
import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from svc.http.screens.assets import built
from svc.tools.catalogue import REGISTRY
from tests.browser.conftest import CHROMIUM_ARGS, chromium
from tests.browser.screens.conftest import PHONE
from tests.browser.screens.pictures.album import PAUSE_MS, TILES_THAT_MAY_DIFFER, TRIES, Camera, camera, check
from tests.browser.screens.pictures.scenes import PHONE_SCENES, SCENES, Scene
from tests.browser.screens.pictures.stage import (
    AXE,
    AXE_PATH,
    TOWN,
    Stage,
    browser_arguments,
    open_stage,
)

_PARTS: Final = 4
_NARROW: Final = ((640, "ltr"), (320, "ltr"), (390, "rtl"))
"""The first is a desk at 200 %."""
_SETTLED: Final = """
new Promise((then) => setTimeout(then, 50)).then(() => {
  for (const animation of document.getAnimations()) {
    if (animation.effect.getComputedTiming().endTime === Infinity) animation.cancel();
    else animation.finish();
  }
})
"""
"""Ends what moves, and waits for none of it: a button that is busy turns for ever."""
_DRAWN: Final = "new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)))"
"""So that what a page does by itself about another width, such as cards for a grid, has begun."""
_MISFITS: Final = """
() => {
  const inSight = (control) => control.checkVisibility() && !control.closest("p, .skip, .hidden");
  const isSmall = (control) => {
    const least = control.closest(".bar") ? 44 : 24;
    const { width, height } = (control.closest("label") ?? control).getBoundingClientRect();
    const around = parseFloat(getComputedStyle(control, "::after").inset) || 0;
    return Math.min(width, height) - 2 * around < least && !control.matches("a[data-row]");
  };
  const isOutside = (element) => {
    const { left, right } = element.getBoundingClientRect();
    return left < -1 || right > innerWidth + 1;
  };
  const wide = document.documentElement.scrollWidth;
  const all = (selector) => [...document.querySelectorAll(selector)];
  const controls = all("a, button, input, select, summary").filter(inSight);
  return [
    ...(wide > innerWidth ? [`${wide} px wide`] : []),
    ...all("dialog[open], .panel").filter(isOutside).map((element) => `outside: ${element.className}`),
    ...all("dialog[open]").filter((dialog) => dialog.scrollWidth > dialog.clientWidth)
      .map((dialog) => `wider than it is: ${dialog.innerText.slice(0, 40)}`),
    ...controls.filter(isSmall).map((small) => small.outerHTML.slice(0, 120)),
  ];
}
"""


def faults(page: Page, *rules: str) -> list[str]:
    """What axe-core finds that is serious or critical, by all its rules or by some."""
    page.evaluate(AXE.read_text())
    page.evaluate(_SETTLED)
    return _violations(page, *rules)


def _violations(page: Page, *rules: str) -> list[str]:
    """The `faults` of a page that has axe-core already, and on which nothing moves."""
    options = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
    found = page.evaluate("(options) => axe.run(document, options)", options)
    return [
        f"{page.url} {fault['id']}: {node['html'][:160]} {node['failureSummary'][:200]}"
        for fault in found["violations"]
        if fault["impact"] in {"serious", "critical"}
        for node in fault["nodes"]
    ]


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with open_stage() as stage:
        yield stage


@pytest.fixture(scope="module")
def browser(stage: Stage) -> Iterator[Browser]:
    """A Chromium of this module's own, which finds the stage."""
    with sync_playwright() as playwright:
        arguments = [*CHROMIUM_ARGS, *browser_arguments(stage.port)]
        browser = playwright.chromium.launch(executable_path=chromium(), args=arguments)
        yield browser
        browser.close()


# Kept for all scenes, with what they have loaded: most of opening one is reading the scripts.
@pytest.fixture(scope="module")
def desk(browser: Browser, stage: Stage) -> Iterator[Camera]:
    with camera(browser, stage) as desk:
        yield desk


@pytest.fixture(scope="module")
def phone(browser: Browser, stage: Stage) -> Iterator[Camera]:
    with camera(browser, stage, is_phone=True) as phone:
        yield phone


def _has_own_faults(scene: Scene) -> bool:
    """Whether *scene* has what axe-core has not seen on another: all skeletons are alike, for one."""
    return scene.state == "full" or scene.name in {"forms", "form", "embed"}


def _look(taker: Camera, scene: Scene) -> list[str | None]:
    """Open *scene*, and tell what is wrong with it."""
    taker.show(scene)
    found = [check(taker, scene.picture("light"))]
    if _has_own_faults(scene):
        taker.page.evaluate(f"import('{AXE_PATH}')")
        found += _violations(taker.page)
    taker.turn("dark")
    found.append(check(taker, scene.picture("dark")))
    if _has_own_faults(scene):
        found += _violations(taker.page, "color-contrast")
    if _has_own_faults(scene) and scene.width > PHONE["width"]:
        for width, direction in _NARROW:
            taker.page.set_viewport_size({"width": width, "height": 800})
            taker.page.evaluate("(direction) => { document.documentElement.dir = direction }", direction)
            taker.page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
            found += [f"{scene.name} {width} {direction}: {misfit}" for misfit in _misfits(taker.page)]
    return found


def _misfits(page: Page) -> list[str]:
    """What does not fit on a page whose window has just changed: a grid becomes cards some frames later."""
    misfits: list[str] = []
    page.evaluate(_DRAWN)
    for _ in range(TRIES):
        if not (misfits := page.evaluate(_MISFITS)):
            break
        page.wait_for_timeout(PAUSE_MS)
    return misfits


@pytest.mark.pictures
@pytest.mark.skipif(
    not AXE.exists() and os.environ.get("CI") != "true", reason="`make screens` installs axe-core"
)
@pytest.mark.parametrize("part", range(_PARTS))
def test_every_screen_looks_as_it_did_and_has_no_fault(desk: Camera, phone: Camera, part: int) -> None:
    """Light and dark, in each state and with what can be open on it; narrow, mirrored and at 200 %, too."""
    found: list[str | None] = []
    for taker, scenes in ((desk, SCENES), (phone, PHONE_SCENES)):
        for scene in scenes[part::_PARTS]:
            found += _look(taker, scene)

    assert [] == [fault for fault in found if fault]


@pytest.mark.pictures
def test_a_change_of_how_a_screen_looks_is_seen(stage: Stage, desk: Camera) -> None:
    """One colour, or one distance, is more than the tolerance lets pass."""
    [scene] = [scene for scene in SCENES if scene.picture("light") == "forms-full-light"]
    desk.show(scene)
    before = desk.picture()

    assert 0 == desk.difference(before, desk.picture())
    for change in (":root { --lamp: #ff8787 }", ".table td { padding-block: 8px }"):
        stage.extra_style = change
        desk.show(scene)
        stage.extra_style = ""

        assert TILES_THAT_MAY_DIFFER < desk.difference(before, desk.picture()), change


@pytest.mark.pictures
def test_there_is_a_scene_of_every_screen() -> None:
    """Each address of the manifest, with an id where it takes one."""
    paths = [scene.path.partition("?")[0].partition("#")[0] for scene in SCENES]
    for screen in built().manifest.screens:
        pattern = re.sub(r"\{\w+\}", "[^/]+", screen.path)
        assert screen.path == "*" or any(re.fullmatch(pattern, path) for path in paths), screen.path


@pytest.mark.pictures
def test_the_town_answers_as_the_tools_do() -> None:
    """Its recorded answers are of the tools' types, member by member."""
    for question, answer in TOWN["answers"].items():
        read: Any = msgspec.convert(answer, REGISTRY[question.split(" ")[0]].answer_type)

        assert answer == msgspec.json.decode(msgspec.json.encode(read)), question
