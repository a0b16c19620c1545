"""How cells are written in a file, and what they become that is no value yet.

References are read in two steps: a cell that is no id names a record or a member, which the storage looks up.
"""

from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple, get_args
from zoneinfo import ZoneInfo

import msgspec

from svc.domain.identity.organizations import Organization

Decimal = Literal[".", ","]
"""What stands before the decimals of a number; the other one, spaces and apostrophes part its thousands."""

DateOrder = Literal["dmy", "mdy", "ymd"]
"""The order of day, month and year in a date with numbers alone."""
DATE_ORDERS: Final[tuple[DateOrder, ...]] = get_args(DateOrder)

CellReader = Callable[[str], Any]
"""Reads a cell, text without space around it, as a JSON value. Raises `InvalidValue`."""
CellWriter = Callable[[Any], str]


class NameReference(NamedTuple):
    """What a cell names instead of telling its id: a record or a member, to be looked up."""

    text: str


class Money(NamedTuple):
    """An amount, and its currency where the cell tells it."""

    number: int | float
    currency: str | None


class CellFormats(msgspec.Struct, frozen=True, kw_only=True):
    """How numbers and dates are written in a file."""

    decimal: Decimal
    order: DateOrder | None
    """That of dates with numbers alone; None where they are only read if they are the same in any."""
    zone: ZoneInfo
    """Where times without an offset are."""
    currency: str = ""
    """The organization's own."""


def formats_of(organization: Organization, decimal: Decimal, order: DateOrder | None) -> CellFormats:
    """The formats of a file, and of the organization's time zone and currency."""
    try:
        zone = ZoneInfo(organization.time_zone)
    except (ValueError, OSError, LookupError):
        zone = ZoneInfo("UTC")
    return CellFormats(decimal=decimal, order=order, zone=zone, currency=organization.currency)
