"""What differs in two OpenAPI documents or JSON Schemas, whatever the schemas within are called."""

from collections.abc import Iterator
from functools import reduce
from typing import Any, Final

from bench._answer_differences import Difference, differences

_REFERENCE: Final = "$ref"
_NO_PROMISES: Final = frozenset({"example", "examples"})


def contract_differences(before: Any, after: Any, place: str = "") -> Iterator[Difference]:
    """What differs beside examples and the names of schemas.

    Schemas that are referred to at one place are one: that of *before* gets its name in *after*.
    """
    before, after = _promises(before), _promises(after)
    names: dict[str, str] = {}
    _pair(before, after, (before, after), names)
    yield from differences(_renamed(before, "#", names), after, place)


def _promises(value: Any, *, is_members: bool = False) -> Any:
    """*value* without examples; a member of an object may be called so."""
    if isinstance(value, dict):
        return {
            name: _promises(one, is_members=name == "properties" and not is_members)
            for name, one in value.items()
            if is_members or name not in _NO_PROMISES
        }
    return [_promises(one) for one in value] if isinstance(value, list) else value


def _pair(before: Any, after: Any, documents: tuple[Any, Any], names: dict[str, str]) -> None:
    """Note in *names* which reference of *after* stands where *before* has one."""
    if isinstance(before, dict) and isinstance(after, dict):
        old, new = before.get(_REFERENCE), after.get(_REFERENCE)
        if isinstance(old, str) and isinstance(new, str) and old not in names:
            names[old] = new
            _pair(_at(documents[0], old), _at(documents[1], new), documents, names)
        for name in before.keys() & after.keys():
            _pair(before[name], after[name], documents, names)
    elif isinstance(before, list) and isinstance(after, list):
        for one, other in zip(before, after, strict=False):
            _pair(one, other, documents, names)


def _at(document: Any, reference: str) -> Any:
    return reduce(lambda value, name: value[name], reference.split("/")[1:], document)


def _renamed(value: Any, place: str, names: dict[str, str]) -> Any:
    if isinstance(value, dict):
        found = {}
        for name, one in value.items():
            inside = f"{place}/{name}"
            new = names[inside].rpartition("/")[2] if inside in names else name
            found[new] = _renamed(one, inside, names)
        return found
    if isinstance(value, list):
        return [_renamed(one, f"{place}/{index}", names) for index, one in enumerate(value)]
    return names.get(value, value) if isinstance(value, str) else value
