"""Cells of a CSV file, read as JSON values of properties: in the forms that people and spreadsheets write.

What a cell becomes is checked by `records.values` like the value of any call. References are read in two
steps: a cell that is no id names a record or a member, which the storage looks up.
"""

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any, Final, Literal, NamedTuple
from zoneinfo import ZoneInfo

import msgspec
from babel import Locale, UnknownLocaleError

from svc.domain.currencies import CURRENCIES
from svc.domain.errors import InvalidValue
from svc.domain.identity.organizations import Organization
from svc.domain.imports.guards import unguarded
from svc.domain.near_names import shown
from svc.domain.records.properties import Property, PropertyType
from svc.domain.times import moment_ms, rfc3339

Decimal = Literal[".", ","]
"""What stands before the decimals of a number; the other one, spaces and apostrophes part its thousands."""

_YES: Final = frozenset(
    "true yes y on 1 x ✓ wahr ja vrai oui verdadero sí si vero sì waar verdadeiro sim prawda tak".split()  # noqa: SIM905
)
_NO: Final = frozenset(
    "false no n off 0 – falsch nein faux non falso onwaar nee não nao fałsz nie".split()  # noqa: SIM905
)
_SIGNS: Final = {"€": "EUR", "£": "GBP"}
"""Signs that stand for one currency alone; a dollar has many."""
_AMOUNT: Final = re.compile(
    r"(?P<before>[A-Za-z]{3}|[€£])?\s*(?P<number>[^A-Za-z€£]+?)\s*(?P<after>[A-Za-z]{3}|[€£])?"
)
_LETTERS: Final = re.compile(r"[A-Za-z]{3}|[€£]")
_DATE: Final = re.compile(r"(\d{1,4})[./ -] ?(\d{1,2})[./ -] ?(\d{1,4})\.?", re.ASCII)
_TIME: Final = re.compile(
    r"(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:\s?([AaPp])\.?[Mm]\.?)?", re.ASCII
)
_MIDNIGHT: Final = re.compile(r"(.*\S)[Tt ]\s*0?0:00(:00(\.0+)?)?")
_ISO: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_RECORD_ID: Final = re.compile("rec_[0-9A-Z]{26}")
_MEMBER_ID: Final = re.compile("usr_[0-9A-Z]{26}")
_DEFAULT_ORDER: Final = "dmy"
_CENTURY: Final = 100
_PIVOT: Final = 69
"""Two digits from here on are of the last century, as POSIX has it."""
_NOON: Final = 12

Reader = Callable[[str], Any]


class Named(NamedTuple):
    """What a cell names instead of telling its id: a record or a member, to be looked up."""

    text: str


class Money(NamedTuple):
    """An amount, and its currency where the cell tells it."""

    number: int | float
    currency: str | None


class CellFormats(msgspec.Struct, frozen=True, kw_only=True):
    """How numbers and dates are written in a file."""

    decimal: Decimal
    order: str
    """The order of day, month and year in a date with numbers alone, such as `dmy`."""
    zone: ZoneInfo
    """Where times without an offset are."""


def formats_of(organization: Organization, decimal: Decimal) -> CellFormats:
    """The formats of the organization's locale and time zone."""
    try:
        zone = ZoneInfo(organization.time_zone)
    except (ValueError, OSError, LookupError):
        zone = ZoneInfo("UTC")
    return CellFormats(decimal=decimal, order=_order(organization.locale), zone=zone)


def reader_of(prop: Property, formats: CellFormats) -> Reader:
    """What reads the cells of *prop*: it takes text without space around it, and raises `InvalidValue`."""
    make = _READERS.get(prop.type)
    return unguarded if make is None else make(prop, formats)


def _order(locale: str) -> str:
    """The order of day, month and year in short dates of *locale*, such as `dmy`."""
    try:
        pattern = Locale.parse(locale.replace("-", "_")).date_formats["short"].pattern
    except (ValueError, UnknownLocaleError):
        return _DEFAULT_ORDER
    letters = dict.fromkeys(letter for letter in pattern.lower() if letter in "dmy")
    return "".join(letters)


def _number(_prop: Property, formats: CellFormats) -> Reader:
    group = "," if formats.decimal == "." else "."
    separator = rf"[\u0020\u00a0\u202f'’{group}]"
    mark = re.escape(formats.decimal)
    pattern = re.compile(
        rf"(?P<sign>[+\-−])?(?:(?P<whole>\d{{1,3}}(?P<group>{separator})\d{{3}}(?:(?P=group)\d{{3}})*|\d+)"
        rf"(?:{mark}(?P<rest>\d+))?|{mark}(?P<only>\d+))(?P<exponent>[eE][+-]?\d{{1,3}})?",
        re.ASCII,
    )

    def read(cell: str) -> int | float:
        match = pattern.fullmatch(cell)
        if match is None:
            raise InvalidValue(
                f"must be a number with `{formats.decimal}` before its decimals, not {shown(cell)}"
            )
        sign = "-" if match["sign"] in {"-", "−"} else ""
        whole = re.sub(r"\D", "", match["whole"] or "0")
        rest, exponent = match["rest"] or match["only"], match["exponent"]
        if rest is None and exponent is None:
            return int(sign + whole)
        return float(f"{sign}{whole}.{rest or 0}{exponent or ''}")

    return read


def _amount(prop: Property, formats: CellFormats) -> Reader:
    number = _number(prop, formats)

    def read(cell: str) -> Money:
        if not _LETTERS.search(cell):
            return Money(number(cell), None)
        match = _AMOUNT.fullmatch(cell)
        if match is None:
            raise InvalidValue(f"must be an amount such as 12{formats.decimal}50 EUR, not {shown(cell)}")
        codes = [_SIGNS.get(code, code.upper()) for code in match.group("before", "after") if code]
        if len(codes) > 1 or any(code not in CURRENCIES for code in codes):
            raise InvalidValue(f"must have one currency such as EUR (ISO 4217), not {shown(cell)}")
        return Money(number(match["number"]), codes[0] if codes else None)

    return read


def _date(_prop: Property, formats: CellFormats) -> Reader:
    def read(cell: str) -> str:
        at_midnight = _MIDNIGHT.fullmatch(cell)
        return _day(at_midnight[1] if at_midnight else cell, formats.order).isoformat()

    return read


def _day(text: str, order: str) -> date:
    """The day that *text* is: by ISO 8601, or as numbers in that *order*, if the first has two."""
    try:
        if _ISO.fullmatch(text):
            return date.fromisoformat(text)
        match = _DATE.fullmatch(text)
        if match is not None:
            numbers = match.groups()
            if len(numbers[0]) == 4:  # noqa: PLR2004  # a year
                order = "ymd"
            found = dict(zip(order, numbers, strict=True))
            return date(_year(found["y"]), int(found["m"]), int(found["d"]))
    except ValueError:
        pass
    example = {"dmy": "18.09.2026", "mdy": "09/18/2026"}.get(order)
    either = f" or, in this organization's locale, {example}" if example else ""
    raise InvalidValue(f"must be a date such as 2026-09-18{either}, not {shown(text)}")


def _year(digits: str) -> int:
    if len(digits) > 2:  # noqa: PLR2004  # a century is written out
        return int(digits)
    return int(digits) + (19 if int(digits) >= _PIVOT else 20) * _CENTURY


def _datetime(_prop: Property, formats: CellFormats) -> Reader:
    def read(cell: str) -> str:
        try:
            moment = datetime.fromisoformat(cell) if _ISO.match(cell) else _local_moment(cell, formats)
            if moment.tzinfo is None:
                moment = moment.replace(tzinfo=formats.zone)
            return rfc3339(moment_ms(moment))
        except InvalidValue:
            raise
        except (ValueError, OverflowError):
            raise InvalidValue(f"must be a time such as 2026-09-18T12:00:00Z, not {shown(cell)}") from None

    return read


def _local_moment(cell: str, formats: CellFormats) -> datetime:
    """A date and a time of day in the organization's own forms. Raises `ValueError`."""
    day, _, time = cell.replace(",", " ").partition(" ")
    while time and ":" not in day and not _TIME.fullmatch(time.strip()):
        more, _, time = time.strip().partition(" ")
        day = f"{day} {more}"
    match = _TIME.fullmatch(time.strip() or "0:00")
    if match is None:
        raise ValueError(cell)
    hour = int(match[1])
    if match[5]:
        hour = hour % _NOON + (_NOON if match[5].lower() == "p" else 0)
    second, fraction = int(match[3] or 0), (match[4] or "")[:6].ljust(6, "0")
    on = _day(day, formats.order)
    return datetime(on.year, on.month, on.day, hour, int(match[2]), second, int(fraction))  # noqa: DTZ001  # the zone is added


def _boolean(_prop: Property, _formats: CellFormats) -> Reader:
    def read(cell: str) -> bool:
        folded = cell.casefold()
        if folded in _YES:
            return True
        if folded in _NO:
            return False
        raise InvalidValue(f"must be yes or no, not {shown(cell)}")

    return read


def _select(prop: Property, _formats: CellFormats) -> Reader:
    choices = {option.casefold(): option for option in prop.options}
    return lambda cell: choices.get(unguarded(cell).casefold(), unguarded(cell))


def _multi_select(prop: Property, _formats: CellFormats) -> Reader:
    """Choices behind semicolons or, since no choice has one in it, commas."""
    choices = {option.casefold(): option for option in prop.options}

    def read(cell: str) -> list[str]:
        cell = unguarded(cell)
        if cell.casefold() in choices:
            return [choices[cell.casefold()]]
        parts = [part.strip() for part in cell.split("," if "," in cell else ";")]
        return [choices.get(part.casefold(), part) for part in parts if part]

    return read


def _reference(pattern: re.Pattern[str]) -> Callable[[Property, CellFormats], Reader]:
    def make(_prop: Property, _formats: CellFormats) -> Reader:
        def read(cell: str) -> str | Named:
            return cell if pattern.fullmatch(cell) else Named(unguarded(cell))

        return read

    return make


_READERS: Final[Mapping[PropertyType, Callable[[Property, CellFormats], Reader]]] = {
    "number": _number,
    "amount": _amount,
    "date": _date,
    "datetime": _datetime,
    "boolean": _boolean,
    "select": _select,
    "multi_select": _multi_select,
    "relation": _reference(_RECORD_ID),
    "member": _reference(_MEMBER_ID),
}
