"""The files of the look, at `/look/<name>`: screens, guides and the demo's pages use the same ones."""

from typing import Final

from quart import Blueprint

from svc.http.static_files import StaticFile, names_in

LOOK_PATH: Final = "/look"
_DIRECTORY: Final = "http/look/static"
_HEADERS: Final = {"X-Content-Type-Options": "nosniff"}
_STYLE_HEADERS: Final = {**_HEADERS, "Cache-Control": "no-cache"}
_FONT_HEADERS: Final = {**_HEADERS, "Cache-Control": "public, max-age=31536000, immutable"}
"""Their names have the version of the typeface."""
_NAMES: Final = tuple(names_in(_DIRECTORY))
PATHS: Final = frozenset(f"{LOOK_PATH}/{name}" for name in _NAMES)
"""Where the files are."""


def look_files() -> Blueprint:
    """The blueprint of the files."""
    doors = Blueprint("look", __name__, url_prefix=LOOK_PATH)
    for name in _NAMES:
        headers = _FONT_HEADERS if name.endswith(".woff2") else _STYLE_HEADERS
        doors.add_url_rule(
            f"/{name}", name.replace(".", "_"), StaticFile(f"{_DIRECTORY}/{name}", headers).answer
        )
    return doors
