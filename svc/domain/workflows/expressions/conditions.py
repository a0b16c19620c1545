"""Conditions: the filters of records, over what a run sees.

A filter's `property` is a path, or a slug of the record; its `value` may hold templates, as a step that waits
for an event needs to say which. Where nothing is known of the value at a path, such as a field of a form, it
is read as one of the type of the value that it is compared with.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

import msgspec

from svc.domain.errors import Fault, InvalidInput, InvalidValue
from svc.domain.records.conditions import Condition
from svc.domain.records.kinds.registry import KINDS
from svc.domain.records.limits import FILTERS_MAX
from svc.domain.records.operators import Op
from svc.domain.records.properties import Property, Value
from svc.domain.records.queries import Filter, PlainFilter, placed
from svc.domain.records.values import coerce, is_of
from svc.domain.workflows.expressions.contexts import Context
from svc.domain.workflows.expressions.paths import Path, Root, lookup, parse, parse_property
from svc.domain.workflows.expressions.scopes import Scope, value_of
from svc.domain.workflows.expressions.templates import Filling, holes, is_template, texts, written_out

_TEXT: Final = value_of("long_text")
_NUMBER: Final = value_of("number")
_BOOLEAN: Final = value_of("boolean")
_WITHOUT_VALUE: Final[frozenset[Op]] = frozenset({"is_empty", "is_not_empty"})
_HOLD_WITHOUT: Final[frozenset[Op]] = frozenset({"neq", "not_in"})
"""What holds when there is nothing to compare with, as nothing is equal to it."""


class _Clause(NamedTuple):
    """One filter, ready to be asked."""

    path: Path
    prop: Property | None
    """The type of the value; None if it is not known before it is there."""
    asked: PlainFilter
    condition: Condition | None
    """None where the value to compare with is known only once its templates are filled in."""


class Conditions:
    """Filters that must all hold, of a group any one, ready to be asked many times."""

    def __init__(self, filters: Sequence[Filter], scope: Scope, country: str) -> None:
        """*scope* is that of the place where they stand. Raises `InvalidInput` with every fault."""
        self._country = country
        read = [(pointer, _read(asked, pointer, scope, country)) for pointer, asked in placed(filters)]
        if faults := [one for _, one in read if isinstance(one, Fault)]:
            raise InvalidInput(faults)
        clauses = iter([one for _, one in read if isinstance(one, _Clause)])
        self._groups = [tuple(islice(clauses, len(asked.plain()))) for asked in filters]

    @property
    def roots(self) -> frozenset[Root]:
        """The roots that they look below: what else a context has need not be loaded for them."""
        clauses = [clause for group in self._groups for clause in group]
        compared = (text for clause in clauses for _, text in texts(clause.asked.value))
        filled_in = (parse(hole).root for text in compared for hole in holes(text))
        return frozenset([*(clause.path.root for clause in clauses), *filled_in])

    def holds(self, context: Context) -> bool:
        """Whether all of them hold in *context*.

        A value of another type than is expected counts as none. Compared with nothing, as a template may
        become, only `neq` and `not_in` hold. Raises `InvalidValue` for a filled-in value that does not fit.
        """
        return all(any(self._clause_holds(clause, context) for clause in group) for group in self._groups)

    def _clause_holds(self, clause: _Clause, context: Context) -> bool:
        condition, found = clause.condition, lookup(clause.path, context)
        if condition is None:
            wanted = _without_nulls(Filling(context).fill(clause.asked.value))
            if wanted is None:
                return clause.asked.op in _HOLD_WITHOUT
            prop = _untyped(wanted) if clause.prop is None else clause.prop
            condition = Condition(prop, clause.asked.op, wanted, self._country)
        if clause.prop is None:
            return condition.holds(_as(condition.prop, found, self._country))
        return condition.holds(found if is_of(clause.prop.type, found) else None)


def filled(filters: Sequence[Filter], context: Context) -> tuple[Filter, ...]:
    """*filters* with their templates filled in: what a step keeps that waits for an event.

    Raises `InvalidInput` where one becomes nothing, since such an event never comes.
    """
    filling = Filling(context)
    done = tuple(
        asked.replaced(
            [msgspec.structs.replace(plain, value=filling.fill(plain.value)) for plain in asked.plain()]
        )
        for asked in filters
    )
    faults = [
        Fault(f"{pointer}/value", "invalid_value", "leads to nothing, and so no event would match")
        for (pointer, before), (_, after) in zip(placed(filters), placed(done), strict=True)
        if before.value is not None and _without_nulls(after.value) is None
    ]
    if faults:
        raise InvalidInput(faults)
    return done


def filter_faults(
    filters: Sequence[Filter], at: str, scope: Scope, values: Scope, country: str
) -> Iterator[Fault]:
    """The faults of *filters*, which stand at the pointer *at*.

    Their properties are looked up in *scope*, the templates of their values in *values*.
    """
    every = [*placed(filters)]
    if len(every) > FILTERS_MAX:
        yield Fault(at, "too_many", f"at most {FILTERS_MAX}, those in groups among them")
    for pointer, asked in every[:FILTERS_MAX]:
        read = _read(asked, at + pointer, scope, country)
        if isinstance(read, Fault):
            yield read
        yield from template_faults(asked.value, f"{at}{pointer}/value", values)


def template_faults(value: Any, at: str, scope: Scope) -> Iterator[Fault]:
    """Every path in the templates of *value*, at the pointer *at*, that leads nowhere in *scope*."""
    for pointer, text in texts(value, at):
        for hole in holes(text):
            try:
                scope.type_at(parse(hole))
            except InvalidValue as error:
                yield Fault(pointer, "unknown_path", str(error))


def has_template(value: Any) -> bool:
    """Whether any text in *value* is a template."""
    return any(is_template(text) for _, text in texts(value))


def _read(asked: PlainFilter, at: str, scope: Scope, country: str) -> _Clause | Fault:
    """The clause that a filter at the pointer *at* is, or what is wrong with it."""
    try:
        path = parse_property(asked.property)
        prop = scope.type_at(path)
    except InvalidValue as error:
        return Fault(f"{at}/property", "unknown_path", str(error))
    if has_template(asked.value) and asked.op not in _WITHOUT_VALUE:
        if prop is None or asked.op in KINDS[prop.type].conditions:
            return _Clause(path, prop, asked, None)
        return Fault(f"{at}/op", "invalid_value", f"is not for what is of type {prop.type}")
    compared = _untyped(asked.value) if prop is None else prop
    try:
        condition = Condition(compared, asked.op, asked.value, country)
    except InvalidValue as error:
        member = "value" if asked.op in KINDS[compared.type].conditions else "op"
        return Fault(f"{at}/{member}", "invalid_value", str(error))
    return _Clause(path, prop, asked, condition)


def _untyped(wanted: Any) -> Property:
    """The type of a value of which nothing is known but what it is compared with."""
    sample = wanted[0] if isinstance(wanted, list) and wanted else wanted
    if isinstance(sample, bool):
        return _BOOLEAN
    return _NUMBER if isinstance(sample, int | float) else _TEXT


def _as(prop: Property, found: Any, country: str) -> Value | None:
    """*found*, of which nothing was known, as a value of *prop*; None if it cannot be read as one."""
    try:
        return coerce(prop, written_out(found), country)
    except InvalidValue:
        return None


def _without_nulls(wanted: Any) -> Any:
    """What is left to compare with; None for nothing."""
    if isinstance(wanted, list):
        return [item for item in wanted if item is not None] or None
    return wanted
