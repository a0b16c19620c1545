"""Paths: names of values that a run can see, such as `record.email` or `submission.fields.topic`.

A path is its root and the names below it, with dots between. Everything after `submission.fields.` is one
name, since a form's fields are called as their form likes it, dots included.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal, get_args

import msgspec

from svc.domain.errors import InvalidValue
from svc.domain.input.near_names import hint, shown
from svc.domain.workflows.limits import PATH_CHARS_MAX

Root = Literal["record", "deal", "submission", "message", "changed", "event", "steps"]
"""What a path begins with."""

ROOTS: Final[tuple[Root, ...]] = get_args(Root)
_FIELDS: Final = "submission.fields."


class Path(msgspec.Struct, frozen=True):
    """A parsed path."""

    root: Root
    names: tuple[str, ...]
    """What follows the root; empty for the root itself."""

    def __str__(self) -> str:
        return ".".join((self.root, *self.names))


RECORD_ID: Final = Path("record", ("id",))
"""The id of the trigger's record."""


def parse(text: str) -> Path:
    """The path that *text* is. Raises `InvalidValue` if it is none."""
    if len(text) > PATH_CHARS_MAX:
        raise InvalidValue(f"is no path: it has more than {PATH_CHARS_MAX} characters")
    if text.startswith(_FIELDS) and len(text) > len(_FIELDS):
        return Path("submission", ("fields", text.removeprefix(_FIELDS)))
    first, *names = text.split(".")
    root = next((known for known in ROOTS if known == first), None)
    if root is None:
        raise InvalidValue(f"{shown(text)} is no path{hint(first, ROOTS)}")
    if not all(names):
        raise InvalidValue(f"{shown(text)} is no path: a name is missing between dots")
    return Path(root, tuple(names))


def parse_property(text: str) -> Path:
    """The path that a filter's `property` is: a path, or a slug of the record. Raises `InvalidValue`."""
    return parse(text) if "." in text else Path("record", (text,))


def lookup(path: Path, context: Mapping[str, Any]) -> Any:
    """The value at *path* in *context*; None where there is nothing, as for a step that was not run."""
    value: Any = context.get(path.root)
    for name in path.names:
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value
