"""Days of the calendar."""

import re
from datetime import date, timedelta
from typing import Final

from babel.dates import format_date

from svc.domain.errors import InvalidValue
from svc.domain.input.near_names import shown
from svc.domain.locale.locales import Place
from svc.domain.records.cells.formats import DATE_ORDERS, CellFormats, CellReader, DateOrder
from svc.domain.records.kinds.kind import FormInput, Kind, as_it_is
from svc.domain.records.kinds.text import write_text_cell
from svc.domain.records.operators import RANGED, RANKED
from svc.domain.records.properties import Property, Value

_WRITTEN: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NUMBERS: Final = re.compile(r"(\d{1,4})[./ -] ?(\d{1,2})[./ -] ?(\d{1,4})\.?", re.ASCII)
_NUMBERS_FIRST: Final = re.compile(r"(\d{1,4})[./ -] ?(\d{1,2})[./ -] ?(\d{1,4})(?![\d:])", re.ASCII)
_YEAR_DIGITS: Final = 4
_DAY_DIGITS: Final = 2
_MIDNIGHT: Final = re.compile(r"(.*\S)[Tt ]\s*0?0:00(:00(\.0+)?)?")
_SERIAL: Final = re.compile(r"(\d{5})([.,]\d+)?", re.ASCII)
_SERIAL_EPOCH: Final = date(1899, 12, 30)
"""Day 0 of the numbers that spreadsheets keep days as; five digits are those from 1927 to 2173."""
_CENTURY: Final = 100
_PIVOT: Final = 69
"""Two digits from here on are of the last century, as POSIX has it."""


def _read(_prop: Property, text: str, _country: str) -> Value:
    try:
        day = date.fromisoformat(text) if _WRITTEN.fullmatch(text) else None
    except ValueError:
        day = None
    if day is None:
        raise InvalidValue("must be a date such as 2026-09-18")
    return day.isoformat()


def _read_form(_prop: Property, text: str, _country: str) -> Value:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise InvalidValue("not a date such as 2026-09-18") from None


def _text(value: str, place: Place, _currency: str | None) -> str:
    return format_date(date.fromisoformat(value), locale=place.locale)


def _read_cell(_prop: Property, formats: CellFormats) -> CellReader:
    def read(cell: str) -> str:
        at_midnight = _MIDNIGHT.fullmatch(cell)
        return day_of(at_midnight[1] if at_midnight else cell, formats.order).isoformat()

    return read


def day_of(text: str, order: DateOrder | None) -> date:
    """The day that *text* is: by ISO 8601, or as numbers in that *order*; without one, if all say the same.

    A year of four digits that comes first is one in any order.
    """
    match = _NUMBERS.fullmatch(text)
    if _WRITTEN.fullmatch(text) or (match is not None and len(match[1]) == _YEAR_DIGITS):
        order = "ymd"
    if match is not None and order is not None:
        day = _day(match, order)
        if day is not None:
            return day
    elif match is not None:
        days = [*dict.fromkeys(readings(text).values())]
        if len(days) == 1:
            return days[0]
        if days:
            either = " or ".join(day.isoformat() for day in days)
            raise InvalidValue(
                f"may be {either}: give `dates` (--dates)",
                general="may be one day or another, as day or month comes first: give `dates` (--dates)",
            )
    refuse_serial(text)
    example = {"dmy": "18.09.2026", "mdy": "09/18/2026"}.get(order or "")
    either = f" or, in this file, {example}" if example else ""
    raise InvalidValue(f"must be a date such as 2026-09-18{either}, not {shown(text)}")


def readings(text: str) -> dict[DateOrder, date]:
    """The days that *text*, which a time may follow, is in each order of numbers that makes one.

    Empty where it is none, and where the order is plain: by a year of four digits that comes first. Points
    stand between numbers where the day comes first, as far as that makes a day.
    """
    match = _NUMBERS_FIRST.match(text.strip())
    if match is None or len(match[1]) == _YEAR_DIGITS:
        return {}
    days = {order: day for order in DATE_ORDERS if (day := _day(match, order)) is not None}
    if "dmy" in days and text.strip()[match.end(1)] == ".":
        return {"dmy": days["dmy"]}
    return days


def _day(match: re.Match[str], order: DateOrder) -> date | None:
    found = dict(zip(order, match.groups()[:3], strict=True))
    if len(found["d"]) > _DAY_DIGITS or (order == "ymd" and len(found["y"]) % _DAY_DIGITS):
        return None
    try:
        return date(_year(found["y"]), int(found["m"]), int(found["d"]))
    except ValueError:
        return None


def refuse_serial(text: str) -> None:
    """Raise `InvalidValue` if *text* is the number that a spreadsheet keeps a day as."""
    match = _SERIAL.fullmatch(text)
    if match is not None:
        day = (_SERIAL_EPOCH + timedelta(int(match[1]))).isoformat()
        raise InvalidValue(
            f"{shown(text)} is a spreadsheet's number for {day}: show the column as dates there, save again",
            general="a spreadsheet's number for a day: show the column as dates there, save again",
        )


def _year(digits: str) -> int:
    if len(digits) > 2:  # noqa: PLR2004  # a century is written out
        return int(digits)
    return int(digits) + (19 if int(digits) >= _PIVOT else 20) * _CENTURY


KIND: Final = Kind(
    name="date",
    json_type=str,
    json_name="a string",
    read=_read,
    refers_to=None,
    form=FormInput("date", _read_form),
    order="code",
    text=_text,
    compared="as_it_is",
    compared_with="date",
    fits_key=False,
    conditions=RANGED,
    aggregates=RANKED,
    measured=as_it_is,
    is_searchable=False,
    is_unique=False,
    is_grouped=True,
    is_free_text=False,
    is_personal=False,
    is_public=True,
    read_cell=_read_cell,
    has_one=False,
    write_cell=write_text_cell,
)
