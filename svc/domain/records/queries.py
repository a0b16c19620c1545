"""Queries over an object's records: filters that must all hold, and an order.

`Condition.holds` defines a filter. Storage narrows by the key ranges of a condition, and checks `holds` on
what is left; so an index makes a list quicker and never different.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, NamedTuple, get_args

import msgspec

from svc.domain.errors import Fault, InvalidInput, InvalidValue
from svc.domain.limits import FILTER_VALUES_MAX, FILTERS_MAX, SORT_KEY_BYTES_MAX, SORTS_MAX
from svc.domain.near_names import hint, shown
from svc.domain.records.properties import Property, PropertyType
from svc.domain.records.sort_keys import EMPTY, FIRST, LAST, fold, sort_key
from svc.domain.records.values import Values, read

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
Direction = Literal["asc", "desc"]

CREATED_AT: Final = "createdAt"
UPDATED_AT: Final = "updatedAt"
TIMES: Final[Mapping[str, Property]] = {
    slug: Property(slug=slug, label=label, type="datetime")
    for slug, label in ((CREATED_AT, "Created"), (UPDATED_AT, "Updated"))
}
"""The times that every record has beside its properties."""


_Slug = Annotated[str, msgspec.Meta(description="A property's slug, `createdAt` or `updatedAt`.")]


class Filter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One condition, as it is asked for."""

    property: _Slug
    op: Annotated[Op, msgspec.Meta(description="How it is compared; which there are depends on its type.")]
    value: Annotated[
        Any, msgspec.Meta(description="What with; a list for `in` and `not_in`, nothing for `is_empty`.")
    ] = None


class Sort(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One key of an order, as it is asked for."""

    property: _Slug
    direction: Annotated[Direction, msgspec.Meta(description="What has no value comes last either way.")] = (
        "asc"
    )


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


class Key(NamedTuple):
    """One key of an order."""

    prop: Property
    descending: bool


Rank = tuple[Any, ...]
_INVERTED: Final = bytes(range(255, -1, -1))
_END: Final = b"\xff"


class Order:
    """An order of records. Missing values come last in both directions; ties are broken by id.

    The id counts in the direction of the first key, so that one index can be walked one way.
    """

    __slots__ = ("descending", "keys")

    def __init__(self, keys: Sequence[Key]) -> None:
        self.keys = tuple(keys) or (Key(TIMES[CREATED_AT], descending=True),)
        self.descending = self.keys[0].descending

    def sort_keys(self, values: Mapping[str, Any]) -> tuple[bytes, ...]:
        """The keys of a record, with its times among its *values*."""
        return tuple(sort_key(key.prop.type, values.get(key.prop.slug)) for key in self.keys)

    def rank(self, sort_keys: Sequence[bytes], record_id: str) -> Rank:
        """A tuple that compares as the records are ordered."""
        ranked = [
            (not sort_key, _inverted(sort_key) if key.descending else sort_key)
            for key, sort_key in zip(self.keys, sort_keys, strict=True)
        ]
        last = record_id.encode()
        return (*ranked, _inverted(last) if self.descending else last)


def _inverted(key: bytes) -> bytes:
    """A key that sorts in reverse; the end makes the longer of two with a common prefix come first."""
    return key.translate(_INVERTED) + _END


class Query(NamedTuple):
    """Conditions that must all hold, and an order."""

    conditions: tuple[Condition, ...]
    order: Order


def parse(
    properties: Mapping[str, Property], filters: Sequence[Filter], sort: Sequence[Sort], country: str
) -> Query:
    """Validate a query over records with *properties*. Raises `InvalidInput` with every fault."""
    known = {**properties, **TIMES}
    faults = [
        Fault(f"/{name}", "too_many", f"at most {clauses_max}")
        for name, clauses, clauses_max in (("filters", filters, FILTERS_MAX), ("sort", sort, SORTS_MAX))
        if len(clauses) > clauses_max
    ]
    conditions: list[Condition] = []
    for place, filter_ in enumerate(filters):
        prop = known.get(filter_.property)
        if prop is None:
            faults.append(_unknown(f"/filters/{place}/property", filter_.property, known))
            continue
        if filter_.op not in get_args(Op):
            detail = f"is no operator{hint(filter_.op, get_args(Op))}"
            faults.append(Fault(f"/filters/{place}/op", "invalid_value", detail))
            continue
        try:
            conditions.append(Condition(prop, filter_.op, filter_.value, country))
        except InvalidValue as error:
            at = "value" if filter_.op in OPS[prop.type] else "op"
            faults.append(Fault(f"/filters/{place}/{at}", "invalid_value", str(error)))
    keys: dict[str, Key] = {}
    for place, by in enumerate(sort):
        prop = known.get(by.property)
        if prop is None:
            faults.append(_unknown(f"/sort/{place}/property", by.property, known))
        elif by.property not in keys:
            keys[by.property] = Key(prop, by.direction == "desc")
    if faults:
        raise InvalidInput(faults)
    return Query(tuple(conditions), Order(tuple(keys.values())))


def _unknown(pointer: str, slug: str, known: Collection[str]) -> Fault:
    return Fault(
        pointer, "unknown_property", f"{shown(slug)} is no property of this object{hint(slug, known)}"
    )


def holds(conditions: Collection[Condition], values: Values) -> bool:
    """Whether all *conditions* hold for a record's values, its times among them."""
    return all(condition.holds(values.get(condition.prop.slug)) for condition in conditions)
