"""Conditions: validated filters on a property, and the ranges of sort keys in which their matches lie.

`Condition.holds` defines a filter. Storage narrows by the key ranges of a condition, and checks `holds` on
what is left; so an index makes a list quicker and never different.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, NamedTuple

from svc.domain.errors import InvalidValue
from svc.domain.limits import FILTER_VALUES_MAX, SORT_KEY_BYTES_MAX
from svc.domain.records.properties import Property, PropertyType
from svc.domain.records.sort_keys import EMPTY, FIRST, LAST, fold, sort_key
from svc.domain.records.values import read

Op = Literal[
    "eq",
    "neq",
    "in",
    "not_in",
    "contains",
    "starts_with",
    "gt",
    "gte",
    "lt",
    "lte",
    "is_empty",
    "is_not_empty",
]


class KeyRange(NamedTuple):
    """Keys from *low* to *high*, both included."""

    low: bytes
    high: bytes


_NO_VALUE: Final[frozenset[Op]] = frozenset({"is_empty", "is_not_empty"})
_ALWAYS: Final[frozenset[Op]] = frozenset({"eq", "neq", *_NO_VALUE})
_AMONG: Final[frozenset[Op]] = frozenset({"in", "not_in"})
_ORDERED: Final[frozenset[Op]] = frozenset({"gt", "gte", "lt", "lte"})
_TEXT: Final[frozenset[Op]] = frozenset({*_ALWAYS, *_AMONG, "contains", "starts_with"})
_RANGED: Final[frozenset[Op]] = frozenset({*_ALWAYS, *_AMONG, *_ORDERED})

OPS: Final[Mapping[PropertyType, frozenset[Op]]] = {
    "text": _TEXT,
    "long_text": _TEXT,
    "number": _RANGED,
    "amount": _RANGED,
    "date": _RANGED,
    "datetime": _RANGED,
    "boolean": _ALWAYS,
    "select": _ALWAYS | _AMONG,
    "multi_select": frozenset({*_ALWAYS, *_AMONG, "contains"}),
    "email": _TEXT,
    "phone": _TEXT,
    "url": _TEXT,
    "picture": _ALWAYS,
    "relation": _ALWAYS | _AMONG,
    "member": _ALWAYS | _AMONG,
}
"""The operators of a property, by its type."""

_FOLDED: Final[frozenset[PropertyType]] = frozenset({"text", "long_text", "email", "phone", "url"})


class Condition:
    """A validated filter on a property."""

    __slots__ = ("_test", "op", "prop", "wanted")

    def __init__(self, prop: Property, op: Op, value: Any, country: str) -> None:
        """Raises `InvalidValue` for an *op* or a *value* that the property does not take."""
        if op not in OPS[prop.type]:
            known = ", ".join(f"`{operator}`" for operator in sorted(OPS[prop.type]))
            raise InvalidValue(f"is not for properties of type {prop.type}, which have {known}")
        self.prop = prop
        self.op = op
        self.wanted = _wanted(prop, op, value, country)
        self._test = _test(prop.type, op, self.wanted)

    def holds(self, value: Any) -> bool:
        """Whether a record with *value* (None for none) matches."""
        return self._test(value)

    def ranges(self) -> list[KeyRange] | None:
        """The key ranges that all matching records lie in, in order; None where keys do not help."""
        kind = self.prop.type
        match self.op:
            case "is_empty":
                return [KeyRange(EMPTY, EMPTY)]
            case "is_not_empty":
                return [KeyRange(FIRST, LAST)]
            case "eq" | "in" if kind != "multi_select" or self.op == "eq":
                wanted = self.wanted if self.op == "in" else [self.wanted]
                return [KeyRange(key, key) for key in sorted({sort_key(kind, value) for value in wanted})]
            case "starts_with":
                key = sort_key(kind, self.wanted)
                return [KeyRange(key, key + LAST)]
            case "gt" | "gte":
                return [KeyRange(sort_key(kind, self.wanted), LAST)]
            case "lt" | "lte":
                return [KeyRange(FIRST, sort_key(kind, self.wanted))]
            case _:
                return None

    @property
    def exact(self) -> bool:
        """Whether it holds for everything in its ranges, so that records need not be checked again."""
        if self.op in {"gt", "lt", "contains", "neq", "not_in"} or self.ranges() is None:
            return False
        return self.op in _NO_VALUE or all(
            range_.low == EMPTY or len(range_.low) < SORT_KEY_BYTES_MAX for range_ in self.ranges() or ()
        )


def _wanted(prop: Property, op: Op, value: Any, country: str) -> Any:
    """The value to compare with; several for `in`."""
    if op in _NO_VALUE:
        if value is not None:
            raise InvalidValue(f"{op} takes no value")
        return None
    if op in _AMONG:
        if not isinstance(value, list) or not 0 < len(value) <= FILTER_VALUES_MAX:
            raise InvalidValue(f"must be an array of 1 to {FILTER_VALUES_MAX} values")
        return [_single(prop, op, item, country) for item in value]
    return _single(prop, op, value, country)


def _single(prop: Property, op: Op, value: Any, country: str) -> Any:
    if op in {"contains", "starts_with"} and prop.type in _FOLDED:
        if not isinstance(value, str) or not value:
            raise InvalidValue("must be a string that is not empty")
        return value
    if prop.type == "multi_select" and (op in _AMONG or op == "contains"):
        chosen = read(prop, [value], country)
        return chosen[0] if isinstance(chosen, list) else None
    if prop.type in _FOLDED and op in {"eq", "neq", "in", "not_in"} and prop.type not in {"email", "phone"}:
        prop = Property(slug=prop.slug, label=prop.label, type="long_text")
    wanted = read(prop, value, country)
    if wanted is None:
        raise InvalidValue("no value to compare with: is_empty finds what has none")
    return wanted


def _test(kind: PropertyType, op: Op, wanted: Any) -> Callable[[Any], bool]:
    """The predicate of an operator. A missing value is not equal to anything."""
    folded = kind in _FOLDED
    match op:
        case "is_empty":
            return lambda value: value is None
        case "is_not_empty":
            return lambda value: value is not None
        case "contains" if kind == "multi_select":
            return lambda value: value is not None and wanted in value
        case "in" | "not_in" if kind == "multi_select":
            among = frozenset(wanted)
            return _either(lambda value: not among.isdisjoint(value), negated=op == "not_in")
        case "in" | "not_in":
            among = frozenset(map(fold, wanted)) if folded else frozenset(wanted)
            return _either(
                (lambda value: fold(value) in among) if folded else (lambda value: value in among),
                negated=op == "not_in",
            )
        case "eq" | "neq":
            equal = fold(wanted) if folded else wanted
            return _either(
                (lambda value: fold(value) == equal) if folded else (lambda value: value == equal),
                negated=op == "neq",
            )
        case "contains":
            part = fold(wanted)
            return lambda value: value is not None and part in fold(value)
        case "starts_with":
            start = fold(wanted)
            return lambda value: value is not None and fold(value).startswith(start)
        case "gt":
            return lambda value: value is not None and value > wanted
        case "gte":
            return lambda value: value is not None and value >= wanted
        case "lt":
            return lambda value: value is not None and value < wanted
        case "lte":
            return lambda value: value is not None and value <= wanted


def _either(test: Callable[[Any], bool], *, negated: bool) -> Callable[[Any], bool]:
    if negated:
        return lambda value: value is None or not test(value)
    return lambda value: value is not None and test(value)
