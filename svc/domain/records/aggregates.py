"""Aggregates: what is asked of groups of records, and the values of a group.

A group is added up of parts: an amount has one for each currency.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple, assert_never

import msgspec

from svc.domain.errors import Fault, InvalidInput
from svc.domain.input.near_names import listed
from svc.domain.records.kinds.registry import KINDS
from svc.domain.records.limits import GROUPED_BY_MAX, MEASURES_MAX
from svc.domain.records.operators import MeasureOp
from svc.domain.records.properties import Property
from svc.domain.records.queries import TIMES, unknown_property

GroupKey = tuple[Any, ...]
Measured = int | float | str | dict[str, int | float] | None
"""A measure's value: of an amount, one for each currency."""


class Measure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One measure, as it is asked for."""

    op: Annotated[
        MeasureOp,
        msgspec.Meta(
            description="`sum` and `avg` are for numbers, amounts and durations, `min` and `max` for "
            "times, too."
        ),
    ]
    property: Annotated[
        str | None,
        msgspec.Meta(
            description="The property's slug, `createdAt` or `updatedAt`. `count` without one counts "
            "records, and with one those that have a value.",
            examples=["amount"],
        ),
    ] = None


class CheckedMeasure(NamedTuple):
    """A valid measure."""

    op: MeasureOp
    prop: Property | None


class Aggregation(NamedTuple):
    """What is asked of groups of records."""

    group_by: tuple[Property, ...]
    measures: tuple[CheckedMeasure, ...]

    @property
    def measured(self) -> tuple[Property, ...]:
        """The properties that are measured, each once."""
        props = {measure.prop.slug: measure.prop for measure in self.measures if measure.prop is not None}
        return tuple(props.values())


def parse_aggregation(
    properties: Mapping[str, Property], group_by: Sequence[str], measures: Sequence[Measure]
) -> Aggregation:
    """Validate what is asked of records with *properties*. Raises `InvalidInput` with every fault."""
    known = {**properties, **TIMES}
    faults: list[Fault] = []
    if len(group_by) > GROUPED_BY_MAX:
        faults.append(Fault("/groupBy", "too_many", f"at most {GROUPED_BY_MAX}"))
    if not 0 < len(measures) <= MEASURES_MAX:
        faults.append(Fault("/measures", "invalid_value", f"not 1 to {MEASURES_MAX}"))
    for place, slug in enumerate(group_by):
        if slug not in known:
            faults.append(unknown_property(f"/groupBy/{place}", slug, known))
        elif not KINDS[known[slug].type].is_grouped:
            grouped = sorted(name for name, kind in KINDS.items() if kind.is_grouped)
            detail = f"is of type {known[slug].type}: records are grouped by {listed(grouped)}"
            faults.append(Fault(f"/groupBy/{place}", "invalid_value", detail))
        elif slug in group_by[:place]:
            faults.append(Fault(f"/groupBy/{place}", "invalid_value", "named twice"))
    asked = [_measure(f"/measures/{place}", measure, known) for place, measure in enumerate(measures)]
    faults += [one for one in asked if isinstance(one, Fault)]
    if faults:
        raise InvalidInput(faults)
    return Aggregation(
        tuple(known[slug] for slug in group_by),
        tuple(one for one in asked if isinstance(one, CheckedMeasure)),
    )


def _measure(at: str, measure: Measure, known: Mapping[str, Property]) -> CheckedMeasure | Fault:
    if measure.property is None:
        if measure.op == "count":
            return CheckedMeasure("count", None)
        return Fault(f"{at}/property", "missing", f"is required: which property has the {measure.op}")
    prop = known.get(measure.property)
    if prop is None:
        return unknown_property(f"{at}/property", measure.property, known)
    if measure.op not in KINDS[prop.type].aggregates:
        types = sorted(name for name, kind in KINDS.items() if measure.op in kind.aggregates)
        detail = f"is of type {prop.type}: {measure.op} is for {listed(types)}"
        return Fault(f"{at}/property", "invalid_value", detail)
    return CheckedMeasure(measure.op, prop)


class Part(NamedTuple):
    """What is known of one property in a part of a group."""

    values: int
    """How many."""
    total: Decimal
    least: Any
    most: Any
    currency: str | None
    """Of all of its values, if it is an amount."""


class Group:
    """A group of records while its parts are added."""

    def __init__(self, key: GroupKey) -> None:
        self.key = key
        self._records = 0
        self._parts: dict[str, dict[str | None, Part]] = {}

    def add(self, records: int, parts: Mapping[str, Part]) -> None:
        """Add so many *records*, and what is known of their properties, by slug."""
        self._records += records
        for slug, part in parts.items():
            if part.values:
                by_currency = self._parts.setdefault(slug, {})
                before = by_currency.get(part.currency)
                by_currency[part.currency] = part if before is None else _joined(before, part)

    def values(self, aggregation: Aggregation) -> list[Measured]:
        """The values of its measures, in their order."""
        return [self._value(measure) for measure in aggregation.measures]

    def _value(self, measure: CheckedMeasure) -> Measured:
        if measure.prop is None:
            return self._records
        parts = self._parts.get(measure.prop.slug, {})
        if measure.op == "count":
            return sum(part.values for part in parts.values())
        measured = KINDS[measure.prop.type].measured
        if measure.prop.type == "amount":
            in_order = sorted(parts.items(), key=lambda item: item[0] or "")
            return {currency or "": measured(_of_part(measure.op, part)) for currency, part in in_order}
        part = parts.get(None)
        if part is None and measure.op != "sum":
            return None
        value: Measured = measured(Decimal(0) if part is None else _of_part(measure.op, part))
        return value


def _joined(one: Part, other: Part) -> Part:
    return Part(
        one.values + other.values,
        one.total + other.total,
        min(one.least, other.least),
        max(one.most, other.most),
        one.currency,
    )


def _of_part(op: Literal["sum", "avg", "min", "max"], part: Part) -> Any:
    match op:
        case "sum":
            return part.total
        case "avg":
            return part.total / part.values
        case "min":
            return part.least
        case "max":
            return part.most
        case _:
            assert_never(op)
