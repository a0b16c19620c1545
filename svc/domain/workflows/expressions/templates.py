"""Templates: texts in which each `{{path}}` stands for the value that it leads to.

There are no expressions. A text that is one `{{path}}` and nothing else becomes the value itself, of its own
type, and null where there is none; in a longer text a value is written as people write it.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from svc.domain.errors import InvalidValue, pointer_to
from svc.domain.scalars import text_of
from svc.domain.workflows.expressions.contexts import Context
from svc.domain.workflows.expressions.paths import RECORD_ID, Path, lookup, parse
from svc.domain.workflows.limits import STEP_INPUT_BYTES_MAX

_RECORD_PREFIX: Final = "rec_"
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


def plain_path(text: str) -> Path:
    """The path that a member of a step is, plain or as one `{{path}}` alone. Raises `InvalidValue`."""
    alone = lone(text)
    return parse(text if alone is None else alone)


def record_path(record: str | None) -> Path | None:
    """The path to the id of the record that a step names by *record*; None if that is an id itself.

    A step that names none is about the trigger's. Raises `InvalidValue` for what is neither.
    """
    if record is None:
        return RECORD_ID
    return None if record.startswith(_RECORD_PREFIX) else plain_path(record)


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


class Filling:
    """The templates of one step or filter while they are filled in.

    Their size is counted together, so that what would become too large is never built.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._left = STEP_INPUT_BYTES_MAX

    def fill(self, value: Any) -> Any:
        """*value*, decoded JSON, with every template in it filled in.

        Raises `InvalidValue` if all together is larger than `STEP_INPUT_BYTES_MAX`, or a path is none.
        """
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
        """*text*, filled in: a text even where it is one `{{path}}` alone. Raises as `fill` does."""
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
