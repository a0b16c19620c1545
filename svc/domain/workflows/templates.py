"""Templates: texts in which each `{{path}}` stands for the value that it leads to.

There are no expressions. A text that is one `{{path}}` and nothing else becomes the value itself, of its own
type, and null where there is none; in a longer text a value is written as people write it.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from svc.domain.errors import InvalidValue, pointer_to
from svc.domain.limits import STEP_INPUT_BYTES_MAX
from svc.domain.scalars import text_of
from svc.domain.workflows.contexts import Context
from svc.domain.workflows.paths import Path, lookup, parse

# Braces cannot be inside of one, so that no part of a text is looked at twice, however many there are.
_HOLE: Final = re.compile(r"\{\{([^{}]*)\}\}")


def holes(text: str) -> Iterator[str]:
    """What stands between the braces of *text*, in order, trimmed. Braces that do not pair are plain text."""
    return (match[1].strip() for match in _HOLE.finditer(text))


def is_template(text: str) -> bool:
    return _HOLE.search(text) is not None


def lone(text: str) -> str | None:
    """What stands between the braces of a text that is one `{{path}}` alone; None for any other text."""
    match = _HOLE.fullmatch(text)
    return None if match is None else match[1].strip()


def texts(value: Any, pointer: str = "") -> Iterator[tuple[str, str]]:
    """Every text in *value*, decoded JSON, with its pointer; names of members are plain."""
    match value:
        case str():
            yield pointer, value
        case list() | tuple():
            for place, inner in enumerate(value):
                yield from texts(inner, f"{pointer}/{place}")
        case Mapping():
            for name, inner in value.items():
                yield from texts(inner, pointer + pointer_to(name))


def fill(value: Any, context: Context) -> Any:
    """*value*, decoded JSON, with every template in it filled in.

    Raises `InvalidValue` if it becomes larger than `STEP_INPUT_BYTES_MAX`, or a path is none.
    """
    filling = _Filling(context)
    return filling.fill(value)


def fill_text(text: str, context: Context) -> str:
    """*text*, filled in, as text even where it is one `{{path}}` alone. Raises as `fill` does."""
    filling = _Filling(context)
    return filling.text(text)


class _Filling:
    """One input while it is filled in: counts its size, so that it is cut off before it is built."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._left = STEP_INPUT_BYTES_MAX

    def fill(self, value: Any) -> Any:
        match value:
            case str():
                alone = lone(value)
                if alone is None:
                    return self.text(value)
                found = lookup(parse(alone), self._context)
                self._take(len(msgspec.json.encode(found)))
                return found
            case list() | tuple():
                return [self.fill(inner) for inner in value]
            case Mapping():
                self._take(sum(map(len, value)))
                return {name: self.fill(inner) for name, inner in value.items()}
        return value

    def text(self, text: str) -> str:
        self._take(len(text))
        parts, end = [], 0
        for match in _HOLE.finditer(text):
            parts += [text[end : match.start()], self._written(parse(match[1].strip()))]
            end = match.end()
        return "".join([*parts, text[end:]])

    def _written(self, path: Path) -> str:
        written = written_out(lookup(path, self._context))
        self._take(len(written.encode()))
        return written

    def _take(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise InvalidValue(f"becomes larger than {STEP_INPUT_BYTES_MAX:,} bytes once it is filled in")


def written_out(value: Any) -> str:
    """*value* within a longer text: nothing for null, lists with commas, objects as JSON."""
    match value:
        case list() | tuple():
            return ", ".join(map(written_out, value))
        case Mapping():
            return msgspec.json.encode(value).decode()
    return text_of(value)
