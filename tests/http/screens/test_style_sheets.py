"""A module imports the style sheets of what it draws: so no screen lacks one, whichever was seen before."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

SOURCES: Final = Path(__file__).parents[3] / "screens" / "src"
STYLES: Final = SOURCES / "styles"
_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_SELECTORS: Final = re.compile(r"([^{};]+)\{")
_CLASS: Final = re.compile(r"\.([a-z][a-z0-9-]*)")
_DRAWN: Final = re.compile(r'\bclass(?:Name)?=(?:"([^"]*)"|\{((?:[^{}]|\$\{[^{}]*\})*)\})')
_IMPORTED: Final = re.compile(
    r'^import "(?:[./]*)styles/(\w+)\.css";$|^@import "\./(\w+)\.css";$', re.MULTILINE
)


def classes_in(sheet: str) -> set[str]:
    rules = _COMMENT.sub("", (STYLES / f"{sheet}.css").read_text())
    return {name for selectors in _SELECTORS.findall(rules) for name in _CLASS.findall(selectors)}


def drawn_in(module: str) -> Iterator[str]:
    for plain, computed in _DRAWN.findall(module):
        for text in [plain, *re.findall(r'"([^"]*)"|`([^`]*)`', computed)]:
            yield from re.findall(r"[a-z][a-z0-9-]*", text if isinstance(text, str) else " ".join(text))


def imported_by(text: str) -> set[str]:
    return {module or sheet for module, sheet in _IMPORTED.findall(text)}


def test_a_module_imports_the_sheets_of_what_it_draws():
    everywhere = imported_by((STYLES / "style.css").read_text())
    sheets = {path.stem: classes_in(path.stem) for path in STYLES.glob("*.css")}
    on_every_page = set().union(*(sheets[sheet] for sheet in everywhere))
    own = {
        sheet: classes - on_every_page
        for sheet, classes in sheets.items()
        if sheet not in {*everywhere, "style"}
    }

    lacking = set()
    for path in SOURCES.rglob("*.tsx"):
        text = path.read_text()
        imported = imported_by(text)
        for name in drawn_in(text):
            having = {sheet for sheet, classes in own.items() if name in classes}
            if having and not having & imported:
                lacking.add(f"{path.relative_to(SOURCES)} draws {name}: {' or '.join(sorted(having))}.css")

    assert own
    assert sorted(lacking) == []
