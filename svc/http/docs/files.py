"""Reading the files of the guides, and of the bridges that they show.

A wheel has the repository's `docs/` as `svc/docs/`, with `examples/bridges/` in it (`force-include` in
pyproject.toml); a checkout or an editable install has both beside the package. They are read through
`importlib.resources`, so that a package that is not a directory (a zip file, a single binary) works too.
"""

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

_SUFFIX: Final = ".md"


@cache
def _root() -> Traversable:
    packaged = files("svc").joinpath("docs")
    if packaged.is_dir():
        return packaged
    return Path(str(files("svc"))).parent / "docs"


@cache
def names() -> tuple[str, ...]:
    """The names of all pages, without suffix: `forms`, `decisions/0001-actor-runtime`."""
    root = _root()
    pages = [*_pages(root, ""), *_pages(root.joinpath("decisions"), "decisions/")]
    return tuple(sorted(pages))


def text_of(name: str) -> str:
    """The Markdown of the page *name*, one of `names`."""
    return _root().joinpath(*f"{name}{_SUFFIX}".split("/")).read_text("utf-8")


def pictures() -> dict[str, bytes]:
    """The pictures of the guides, by file name."""
    directory = _root().joinpath("images")
    if not directory.is_dir():
        return {}
    return {
        file.name: file.read_bytes()
        for file in directory.iterdir()
        if file.name.endswith((".png", ".svg", ".webp"))
    }


def bridges() -> dict[str, bytes]:
    """The bridges to messengers, by file name: programs of one file, to be downloaded."""
    directory = _root().joinpath("bridges")
    if not directory.is_dir():
        directory = Path(str(files("svc"))).parent / "examples" / "bridges"
    if not directory.is_dir():
        return {}
    return {file.name: file.read_bytes() for file in directory.iterdir() if file.name.endswith(".py")}


def _pages(directory: Traversable, prefix: str) -> list[str]:
    if not directory.is_dir():
        return []
    return [
        prefix + file.name.removesuffix(_SUFFIX)
        for file in directory.iterdir()
        if file.name.endswith(_SUFFIX)
    ]
