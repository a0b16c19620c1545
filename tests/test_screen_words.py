"""Words and icons of the screens: each is shown somewhere, so that neither file grows with what is gone."""

import re
from pathlib import Path
from typing import Final

_SOURCES: Final = Path(__file__).parents[1] / "screens" / "src"
_WORDS: Final = _SOURCES / "messages" / "en"
_ICONS: Final = _SOURCES / "parts" / "icon_names.ts"
_MEMBER: Final = re.compile(r"^( +)(\w+|\"[\w.-]+\"):( \{$)?", re.MULTILINE)
_NUMBERS: Final = {"one", "other"}
"""The forms of a text with a number; `say` chooses."""


_GENERATED: Final = {"contract.ts", "tool_names.ts", "tool_list.ts", "tool_examples.ts", "event_examples.ts"}


def _modules() -> list[Path]:
    modules = [path for path in _SOURCES.rglob("*.ts*") if path != _ICONS and _WORDS not in path.parents]
    return [path for path in modules if path.name not in _GENERATED]


def _program() -> str:
    return "\n".join(path.read_text() for path in _modules())


def _words(text: str) -> list[tuple[str, ...]]:
    """The path of each text in a file of messages."""
    found, within = [], list[str]()
    for indent, name, opens in _MEMBER.findall(text):
        within[len(indent) // 2 - 1 :] = [name.strip('"')]
        if not opens and name not in _NUMBERS:
            found.append(tuple(within))
    return found


def _is_chosen_from(messages: Path) -> bool:
    """Whether a module that imports these texts has a value choose one of them."""
    imported = re.compile(rf'import {{ \w+(?: as (\w+))? }} from "[^"]*/messages/en/{messages.stem}"')
    for path in _modules():
        text = path.read_text()
        for taken in imported.finditer(text):
            name = taken[1] or taken[0].split()[2]
            if re.search(rf"(?<![.\w]){name}\[", text):
                return True
    return False


def test_every_word_is_shown() -> None:
    """By its name, or within what a value chooses from."""
    program = _program()
    chosen = set(re.findall(r"\.(\w+)(?:\[| as Readonly<Record<)", program))
    chosen |= {
        part
        for path in _modules()
        for name, part in re.findall(r"const (\w+) = \w+\.(\w+);", path.read_text())
        if f"{name}[" in path.read_text()
    }
    named = set(re.findall(r"\.(\w+)|\"(\w+)\"", program))
    shown = {name for names in named for name in names}
    shown |= {
        name
        for taken in re.findall(r"\{([^{}]+)\} = messages", program)
        for name in re.findall(r"\w+", taken)
    }
    unused = [
        f"{path.stem}: {'.'.join(word)}"
        for path in sorted(_WORDS.glob("*.ts"))
        if not _is_chosen_from(path)
        for word in _words(path.read_text())
        if not chosen & set(word[:-1]) and word[-1] not in shown
    ]

    assert [] == unused


def test_every_icon_is_shown() -> None:
    """By its name in quotes."""
    program = _program()
    names = re.findall(r'"([a-z0-9-]+)"', _ICONS.read_text())

    assert names
    assert [] == [name for name in names if f'"{name}"' not in program]
