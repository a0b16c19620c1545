"""Conditions: validated filters on a property, and the ranges of sort keys in which their matches lie.

`Condition.holds` defines a filter. Storage narrows by the key ranges of a condition, and checks `holds` on
what is left; so an index makes a list quicker and never different.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, assert_never

from svc.domain.errors import InvalidValue
from svc.domain.locale.durations import parse_duration
from svc.domain.records.kinds.kind import Comparison
from svc.domain.records.kinds.registry import KINDS, sort_key
from svc.domain.records.limits import FILTER_VALUES_MAX, SORT_KEY_BYTES_MAX
from svc.domain.records.operators import AMONG, NO_VALUE, Op
from svc.domain.records.properties import Property
from svc.domain.records.sort_keys import EMPTY, FIRST, LAST, fold
from svc.domain.records.values import read


class KeyRange(NamedTuple):
    """Keys from *low* to *high*, both included."""

    low: bytes
    high: bytes


class Condition:
    """A validated filter on a property."""

    __slots__ = ("_test", "op", "prop", "wanted")

    def __init__(self, prop: Property, op: Op, value: Any, country: str) -> None:
        """Raises `InvalidValue` for an *op* or a *value* that the property does not take."""
        kind = KINDS[prop.type]
        if op not in kind.conditions:
            known = ", ".join(f"`{operator}`" for operator in sorted(kind.conditions))
            raise InvalidValue(f"is not for properties of type {prop.type}, which have {known}")
        self.prop = prop
        self.op = op
        self.wanted = _wanted(prop, op, value, country)
        self._test = _predicate(kind.compared, op, self.wanted)

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
            case "eq" | "in" if self.op == "eq" or KINDS[kind].compared != "choices":
                wanted = self.wanted if self.op == "in" else [self.wanted]
                return [KeyRange(key, key) for key in sorted({sort_key(kind, value) for value in wanted})]
            case "starts_with":
                key = sort_key(kind, self.wanted)
                return [KeyRange(key, key + LAST)]
            case "gt" | "gte":
                return [KeyRange(sort_key(kind, self.wanted), LAST)]
            case "lt" | "lte":
                return [KeyRange(FIRST, sort_key(kind, self.wanted))]
            case "eq" | "in" | "neq" | "not_in" | "contains":
                return None
            case _:
                assert_never(self.op)

    @property
    def part(self) -> bytes | None:
        """What the key of every match has in it, if the key is not cut; None where keys do not help."""
        if self.op == "contains" and KINDS[self.prop.type].fits_key:
            return fold(self.wanted).encode()
        return None

    @property
    def exact(self) -> bool:
        """Whether it holds for everything in its ranges, so that records need not be checked again."""
        if self.op in {"gt", "lt", "contains", "neq", "not_in"} or self.ranges() is None:
            return False
        return self.op in NO_VALUE or all(
            range_.low == EMPTY or len(range_.low) < SORT_KEY_BYTES_MAX for range_ in self.ranges() or ()
        )


def _wanted(prop: Property, op: Op, value: Any, country: str) -> Any:
    """The value to compare with; several for `in`."""
    if op in NO_VALUE:
        if value is not None:
            raise InvalidValue(f"{op} takes no value")
        return None
    if op in AMONG:
        if not isinstance(value, list) or not 0 < len(value) <= FILTER_VALUES_MAX:
            raise InvalidValue(f"must be an array of 1 to {FILTER_VALUES_MAX} values")
        return [_single(prop, op, item, country) for item in value]
    return _single(prop, op, value, country)


def _single(prop: Property, op: Op, value: Any, country: str) -> Any:
    kind = KINDS[prop.type]
    if op in {"contains", "starts_with"} and kind.compared == "folded":
        if not isinstance(value, str) or not value:
            raise InvalidValue("must be a string that is not empty")
        return value
    if kind.compared == "choices" and (op in AMONG or op == "contains"):
        chosen = read(prop, [value], country)
        return chosen[0] if isinstance(chosen, list) else None
    if kind.compared_with != prop.type:
        prop = Property(slug=prop.slug, label=prop.label, type=kind.compared_with)
    wanted = read(prop, value, country)
    if wanted is None:
        raise InvalidValue("no value to compare with: is_empty finds what has none")
    return wanted


def _predicate(compared: Comparison, op: Op, wanted: Any) -> Callable[[Any], bool]:
    """The predicate of an operator on stored values."""
    if compared != "seconds" or op in NO_VALUE:
        return _test(compared, op, wanted)
    seconds = [parse_duration(one) for one in wanted] if op in AMONG else parse_duration(wanted)
    test = _test("as_it_is", op, seconds)
    return lambda value: test(None if value is None else parse_duration(value))


def _test(compared: Comparison, op: Op, wanted: Any) -> Callable[[Any], bool]:
    """The predicate of an operator. A missing value is not equal to anything."""
    if compared == "choices" and op in {"contains", "in", "not_in"}:
        return _choices_test(op, wanted)
    folded = compared == "folded"
    match op:
        case "is_empty":
            return lambda value: value is None
        case "is_not_empty":
            return lambda value: value is not None
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
        case _:
            assert_never(op)


def _choices_test(op: Op, wanted: Any) -> Callable[[Any], bool]:
    """The predicate of what values have in them that are lists of choices."""
    if op == "contains":
        return lambda value: value is not None and wanted in value
    among = frozenset(wanted)
    return _either(lambda value: not among.isdisjoint(value), negated=op == "not_in")


def _either(test: Callable[[Any], bool], *, negated: bool) -> Callable[[Any], bool]:
    if negated:
        return lambda value: value is None or not test(value)
    return lambda value: value is not None and test(value)
