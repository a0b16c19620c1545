"""The built files of the screens, which the package has in `static/`, and the manifest that names them.

`screens/` has their sources, and `make screens` builds them. Names carry a hash of the content, so a browser
keeps a file for good.
"""

import gzip
from functools import cache
from importlib.resources import files
from typing import Any, Final

import msgspec

STATIC_PATH: Final = "/app/static/"
_MANIFEST: Final = "manifest.json"
_TYPES: Final = {
    "css": b"text/css; charset=utf-8",
    "js": b"text/javascript; charset=utf-8",
    "svg": b"image/svg+xml",
}


class ScreensNotBuilt(Exception):
    """Raised where the package lacks the built files. In a checkout, `make screens` makes them."""


class FirstCall(msgspec.Struct, frozen=True):
    """A tool that a screen asks when it opens, as `screens/src/questions.ts` says.

    In *input*, `{name}` stands for that segment of the path or else that parameter of the query, and without
    it nothing is asked; `{?name}` stands for a parameter, without which that member is left out.
    """

    tool: str
    input: dict[str, Any] = {}
    without: tuple[str, ...] = ()
    """Parameters with which the screen asks something else."""


class ScreenFiles(msgspec.Struct, frozen=True):
    """What the shell sends along to the screens at a path, such as `/app/records/{object}`; `*` is any."""

    path: str
    scripts: tuple[str, ...] = ()
    """Files that the browser should fetch at once."""
    calls: tuple[FirstCall, ...] = ()
    """Tools whose answers are in the shell, so that the first screen takes one round trip."""
    styles: tuple[str, ...] = ()
    """Its style sheets, beside that of every page."""


class PageFiles(msgspec.Struct, frozen=True):
    """A page of its own, beside the screens."""

    script: str
    style: str


class Manifest(msgspec.Struct, frozen=True):
    """`manifest.json`, as the build writes it."""

    script: str
    style: str
    icons: str
    files: tuple[str, ...]
    preload: tuple[str, ...] = ()
    """What *script* imports, directly or not."""
    screens: tuple[ScreenFiles, ...] = ()
    debug: PageFiles | None = None
    """The operator's live view. A build from before there was one lacks it."""


class StaticFile(msgspec.Struct, frozen=True):
    """A built file, kept as browsers take it: compressed. Plain, all of them would be 0.9 MiB more."""

    content_type: bytes
    gzipped: bytes

    @property
    def plain(self) -> bytes:
        """For a client that takes nothing compressed: half a millisecond of work for the largest file."""
        return gzip.decompress(self.gzipped)


class Assets(msgspec.Struct, frozen=True):
    """The manifest, and the files that it names."""

    manifest: Manifest
    files: dict[str, StaticFile]


@cache
def built() -> Assets:
    """The files of this package, read once. Raises `ScreensNotBuilt`."""
    directory = files("svc.http.screens") / "static"
    try:
        manifest = msgspec.json.decode((directory / _MANIFEST).read_bytes(), type=Manifest)
        found = {name: _static_file(name, (directory / name).read_bytes()) for name in manifest.files}
    except (OSError, msgspec.MsgspecError, KeyError) as error:
        raise ScreensNotBuilt(f"the screens are not built: run `make screens` ({error})") from error
    missing = {manifest.script, manifest.style, manifest.icons, *manifest.preload} - found.keys()
    if missing:
        raise ScreensNotBuilt(f"the screens are not built: run `make screens` (no {min(missing)})")
    return Assets(manifest, found)


def _static_file(name: str, plain: bytes) -> StaticFile:
    return StaticFile(_TYPES[name.rpartition(".")[2]], gzip.compress(plain, mtime=0))
