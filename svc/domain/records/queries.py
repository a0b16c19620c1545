"""Queries over an object's records: filters that must all hold, and an order.

A filter may be a group of which one must hold. `Condition.holds` defines a filter: see `conditions`.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Final, Literal, NamedTuple, get_args

import msgspec
from msgspec import UNSET, UnsetType

from svc.domain.either import Either
from svc.domain.errors import Fault, InvalidInput, InvalidValue
from svc.domain.input.near_names import hint, shown
from svc.domain.records.conditions import Condition
from svc.domain.records.kinds.registry import KINDS
from svc.domain.records.limits import FILTERS_MAX, SORTS_MAX
from svc.domain.records.operators import Op
from svc.domain.records.orders import Key, Order
from svc.domain.records.properties import Property
from svc.domain.records.text_search import SearchTerms, fit
from svc.domain.records.values import Values

Direction = Literal["asc", "desc"]

CREATED_AT: Final = "createdAt"
UPDATED_AT: Final = "updatedAt"
TIMES: Final[Mapping[str, Property]] = {
    slug: Property(slug=slug, label=label, type="datetime")
    for slug, label in ((CREATED_AT, "Created"), (UPDATED_AT, "Updated"))
}
"""The times that every record has beside its properties."""


_Slug = Annotated[
    str,
    msgspec.Meta(
        description="A property's slug, `createdAt` or `updatedAt`.", examples=["city", "createdAt"]
    ),
]
_Op = Annotated[
    Op,
    msgspec.Meta(
        description="How it is compared; which there are depends on the property's type. "
        "What has no value is only found by `is_empty`, `neq` and `not_in`."
    ),
]
_Wanted = Annotated[
    Any,
    msgspec.Meta(
        description="What with, in the property's own type; a list for `in` and `not_in`, "
        "nothing for `is_empty` and `is_not_empty`."
    ),
]


class PlainFilter(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One comparison with a property."""

    property: _Slug
    op: _Op
    value: _Wanted = None


_Several = Annotated[
    tuple[PlainFilter, ...],
    msgspec.Meta(description="Of these, one must hold at least.", min_length=1, max_length=FILTERS_MAX),
]


class FilterGroup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Several filters, of which one must hold."""

    any: _Several


class Filter(Either, frozen=True):
    """A comparison with a property, or with `any` a group of them: one must hold."""

    SHAPES: ClassVar[tuple[type[msgspec.Struct], ...]] = (FilterGroup, PlainFilter)

    property: _Slug | UnsetType = UNSET
    op: _Op | UnsetType = UNSET
    value: _Wanted | UnsetType = UNSET
    any: _Several | UnsetType = UNSET

    def plain(self) -> tuple[PlainFilter, ...]:
        """Its filters, of which one must hold: itself, or those of its group."""
        if self.any is not UNSET:
            return self.any
        assert self.property is not UNSET and self.op is not UNSET  # noqa: S101, PT018  # as in its shape
        return (PlainFilter(self.property, self.op, None if self.value is UNSET else self.value),)

    def replaced(self, plain: Sequence[PlainFilter]) -> "Filter":
        """The same with other filters in its place, or in its group."""
        if self.any is not UNSET:
            return Filter(any=tuple(plain))
        [only] = plain
        return Filter(only.property, only.op, UNSET if only.value is None else only.value)


def placed(filters: Sequence[Filter]) -> Iterator[tuple[str, PlainFilter]]:
    """Every plain filter in *filters*, with its pointer into them."""
    for place, filter_ in enumerate(filters):
        for inner, plain in enumerate(filter_.plain()):
            yield f"/{place}" if filter_.any is UNSET else f"/{place}/any/{inner}", plain


class Sort(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One key of an order, as it is asked for."""

    property: _Slug
    direction: Annotated[Direction, msgspec.Meta(description="What has no value comes last either way.")] = (
        "asc"
    )


class WordSearch(NamedTuple):
    """Words that records must have, as `record.search` finds them."""

    terms: SearchTerms
    slugs: tuple[str, ...] = ()
    """Of the properties that have to have them, where records are indexed under words of others as well."""


class Query(NamedTuple):
    """Groups of conditions, of each of which one must hold, words to be had, and an order."""

    groups: tuple[tuple[Condition, ...], ...]
    order: Order
    search: WordSearch | None = None
    """What an index of words decides; `holds` says only whether the words are in live properties."""

    @property
    def conditions(self) -> Iterator[Condition]:
        """All conditions, whatever their group."""
        return (condition for group in self.groups for condition in group)

    def holds(self, values: Values) -> bool:
        """Whether a record matches, of which *values* are the values, its times among them."""
        for group in self.groups:
            for condition in group:
                if condition.holds(values.get(condition.prop.slug)):
                    break
            else:
                return False
        search = self.search
        return search is None or not search.slugs or fit(search.terms, search.slugs, values) is not None


def parse(
    properties: Mapping[str, Property], filters: Sequence[Filter], sort: Sequence[Sort], country: str
) -> Query:
    """Validate a query over records with *properties*. Raises `InvalidInput` with every fault."""
    known = {**properties, **TIMES}
    faults = [
        Fault(pointer, "too_many", detail)
        for pointer, many, many_max, detail in (
            ("/filters", sum(1 for _ in placed(filters)), FILTERS_MAX, _FILTERS_AT_MOST),
            ("/sort", len(sort), SORTS_MAX, f"at most {SORTS_MAX}"),
        )
        if many > many_max
    ]
    groups: list[tuple[Condition, ...]] = []
    for place, filter_ in enumerate(filters):
        at = f"/filters/{place}"
        read = [
            _condition(f"{at}/any/{inner}" if filter_.any is not UNSET else at, plain, known, country)
            for inner, plain in enumerate(filter_.plain())
        ]
        faults += [one for one in read if isinstance(one, Fault)]
        groups.append(tuple(one for one in read if isinstance(one, Condition)))
    keys: dict[str, Key] = {}
    for place, by in enumerate(sort):
        prop = known.get(by.property)
        if prop is None:
            faults.append(unknown_property(f"/sort/{place}/property", by.property, known))
        elif by.property not in keys:
            keys[by.property] = Key(prop, by.direction == "desc")
    if faults:
        raise InvalidInput(faults)
    return Query(tuple(groups), Order([*keys.values()] or [_NEWEST_FIRST]))


_FILTERS_AT_MOST: Final = f"at most {FILTERS_MAX}, those in groups among them"
_NEWEST_FIRST: Final = Key(TIMES[CREATED_AT], descending=True)


def _condition(at: str, asked: PlainFilter, known: Mapping[str, Property], country: str) -> Condition | Fault:
    """The condition that the filter at the pointer *at* is, or what is wrong with it."""
    prop = known.get(asked.property)
    if prop is None:
        return unknown_property(f"{at}/property", asked.property, known)
    if asked.op not in get_args(Op):
        return Fault(f"{at}/op", "invalid_value", f"is no operator{hint(asked.op, get_args(Op))}")
    try:
        return Condition(prop, asked.op, asked.value, country)
    except InvalidValue as error:
        member = "value" if asked.op in KINDS[prop.type].conditions else "op"
        return Fault(f"{at}/{member}", "invalid_value", str(error))


def unknown_property(pointer: str, slug: str, known: Collection[str]) -> Fault:
    """The fault of a *slug* at *pointer* that is none of the *known* properties."""
    return Fault(
        pointer, "unknown_property", f"{shown(slug)} is no property of this object{hint(slug, known)}"
    )
