"""Properties of objects, and their types; what a type is stands in `kinds`."""

from typing import Final, Literal

import msgspec

PropertyType = Literal[
    "text",
    "long_text",
    "number",
    "amount",
    "date",
    "datetime",
    "duration",
    "boolean",
    "select",
    "multi_select",
    "email",
    "phone",
    "url",
    "picture",
    "relation",
    "member",
]

Value = str | int | float | bool | list[str]


class Property(msgspec.Struct, frozen=True, kw_only=True):
    """One property of an object."""

    slug: str
    label: str
    type: PropertyType
    options: tuple[str, ...] = ()
    """The choices of a select; the object that a relation leads to."""
    personal: bool = False
    unique: bool = False
    """Whether no two records of the object may have the same value."""


CURRENCY_SUFFIX: Final = "_currency"
"""The currency of an amount is stored under the amount's slug plus this suffix."""
