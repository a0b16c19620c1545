"""Takes the pictures anew, after a change of how the screens look.

`python -m tests.browser.screens.pictures.keep` takes all; with words, those with one of them in their name.
A file stays where the test would pass with it, as after an upgrade of Chromium: its digest alone is new then.
"""

import json
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.conftest import CHROMIUM_ARGS, chromium
from tests.browser.screens.pictures.album import (
    KEPT,
    SHOWN,
    TILES_THAT_MAY_DIFFER,
    Camera,
    Theme,
    camera,
    digest_of,
    digests,
)
from tests.browser.screens.pictures.scenes import PHONE_SCENES, SCENES
from tests.browser.screens.pictures.stage import browser_arguments, open_stage

_THEMES: tuple[Theme, ...] = ("light", "dark")


def keep(wanted: list[str]) -> None:
    """Write the pictures of the *wanted* scenes, or of all."""
    KEPT.mkdir(exist_ok=True)
    known = dict(digests()) if wanted else {}
    with open_stage() as stage, sync_playwright() as playwright:
        arguments = [*CHROMIUM_ARGS, *browser_arguments(stage.port)]
        browser = playwright.chromium.launch(executable_path=chromium(), args=arguments)
        for is_phone, scenes in ((False, SCENES), (True, PHONE_SCENES)):
            with camera(browser, stage, is_phone=is_phone) as taker:
                for scene in scenes:
                    if wanted and not any(word in scene.name for word in wanted):
                        continue
                    taker.show(scene)
                    for theme in _THEMES:
                        taker.turn(theme)
                        name = scene.picture(theme)
                        known[name] = digest_of(taker.wait_until_still())
                        _keep_picture(taker, KEPT / f"{name}.webp")
        browser.close()
    for file in KEPT.glob("*.webp"):
        if file.stem not in known:
            file.unlink()
    for name, shown in SHOWN.items():
        shown.write_bytes((KEPT / f"{name}.webp").read_bytes())
    (KEPT / "digests.json").write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
    sys.stdout.write(f"{len(known)} pictures are kept in {KEPT}\n")


def _keep_picture(taker: Camera, file: Path) -> None:
    picture = taker.picture()
    if not file.exists() or taker.difference(file.read_bytes(), picture) > TILES_THAT_MAY_DIFFER:
        file.write_bytes(picture)


if __name__ == "__main__":
    keep(sys.argv[1:])
