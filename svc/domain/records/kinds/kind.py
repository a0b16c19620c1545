"""What a kind of property is: one value with everything that the program knows of a type.

Nothing has a default, so that a kind that leaves something out is an error when it is imported.
"""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import msgspec

from svc.domain.locale.locales import Place
from svc.domain.records.cells.formats import CellFormats, CellReader, CellWriter
from svc.domain.records.operators import MeasureOp, Op
from svc.domain.records.properties import Property, PropertyType, Value
from svc.domain.records.sort_keys import Order

Comparison = Literal["as_it_is", "folded", "choices", "seconds"]
"""What of values is compared: themselves, texts without case, the choices in a list, or how long they are."""
Control = Literal[
    "text", "email", "tel", "url", "number", "date", "datetime-local", "checkbox", "select", "choices", "area"
]
"""An element of a form in HTML."""
Reference = Literal["record", "member", "file"]
"""What a value that is an id is the id of."""


class FormInput(NamedTuple):
    """How a form sets a property."""

    control: Control
    """What an embed shows."""
    read: Callable[[Property, str, str], Value]
    """Reads a text that is not empty, in an organization's country, leniently. Raises `InvalidValue`."""


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known of a type of properties."""

    name: PropertyType
    json_type: Any
    """The type of its values in decoded JSON."""
    json_name: str
    """That, in words that follow `must be`."""
    read: Callable[[Property, Any, str], Value | None]
    """Reads a value of that type, in an organization's country, strictly. Raises `InvalidValue`.

    A text comes trimmed, and is not empty.
    """
    refers_to: Reference | None
    """What its values refer to; None for a value that stands for itself."""
    form: FormInput | None
    """None where forms do not set it."""
    order: Order
    """How values are sorted."""
    text: Callable[[Any, Place, str | None], str]
    """A value as people read it, with the currency of an amount.

    Raises `ValueError`, `TypeError` or `ArithmeticError` for what is no such value.
    """
    compared: Comparison
    compared_with: PropertyType
    """What the value of `eq` and `neq` is read as: of texts a type without their limit of length, since to
    compare with a longer text is no fault."""
    fits_key: bool
    """Whether a text is rarely longer than a sort key, so that a part of it is looked for in keys."""
    conditions: frozenset[Op]
    aggregates: frozenset[MeasureOp]
    measured: Callable[[Any], Any]
    """What the database has for a measure (a `Decimal` for `sum` and `avg`), as it is answered."""
    is_searchable: bool
    """Whether values are indexed for full-text search."""
    is_unique: bool
    """Whether no two records may have the same value, if a property says so."""
    is_grouped: bool
    """Whether records are grouped by it: an amount has a currency, others several values."""
    is_free_text: bool
    """Whether people write anything in it: several columns of a file may be for it, and it is searched
    for a person who is erased."""
    is_personal: bool
    """Whether it is always about a person."""
    is_public: bool
    """Whether it may be shown in public, unless its property may not."""
    read_cell: Callable[[Property, CellFormats], CellReader]
    has_one: bool
    """Whether a cell of CSV that has several values, as address books write them, is split."""
    write_cell: Callable[[Property], CellWriter]


def as_it_is(value: Any) -> Any:
    return value


def plain_text(value: Any, _place: Place, _currency: str | None) -> str:
    """A text as people read it. Raises `TypeError` for another value."""
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value
