"""Numbers."""

import re
from decimal import Decimal
from typing import Final

import msgspec
from babel.numbers import format_decimal

from svc.domain.errors import InvalidValue
from svc.domain.input.near_names import shown
from svc.domain.locale.locales import Place
from svc.domain.records.cells.formats import CellFormats, CellReader, CellWriter
from svc.domain.records.kinds.kind import FormInput, Kind
from svc.domain.records.limits import NUMBER_MAX
from svc.domain.records.operators import RANGED, SUMMED
from svc.domain.records.properties import Property, Value

_NUMBER: Final = re.compile(r"[+-]?(\d{1,15}(\.\d{1,9})?|\.\d{1,9})")


def read_number(_prop: Property, value: float, _country: str) -> Value:
    if not abs(value) <= NUMBER_MAX:  # false for NaN, too
        raise InvalidValue(f"must be between -{NUMBER_MAX:.0e} and {NUMBER_MAX:.0e}")
    return int(value) if isinstance(value, int) or value.is_integer() else value


def read_form_number(_prop: Property, text: str, _country: str) -> Value:
    if not _NUMBER.fullmatch(text):
        raise InvalidValue("not a number")
    number = float(text)
    return int(number) if number.is_integer() else number


def text_of(value: float, place: Place, _currency: str | None) -> str:
    return format_decimal(decimal_of(value), locale=place.locale)


def decimal_of(value: float) -> Decimal:
    """The shortest decimal that reads back as *value*, not its exact binary expansion."""
    return Decimal(str(value))


def measured(value: float | Decimal) -> int | float:
    """A measure as a number of JSON."""
    if not isinstance(value, Decimal):
        return value
    return int(value) if value == value.to_integral_value() else float(value)


def read_number_cell(_prop: Property, formats: CellFormats) -> CellReader:
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


def write_number_cell(_prop: Property) -> CellWriter:
    return lambda value: msgspec.json.encode(value).decode()


KIND: Final = Kind(
    name="number",
    json_type=int | float,
    json_name="a number",
    read=read_number,
    refers_to=None,
    form=FormInput("number", read_form_number),
    order="number",
    text=text_of,
    compared="as_it_is",
    compared_with="number",
    fits_key=False,
    conditions=RANGED,
    aggregates=SUMMED,
    measured=measured,
    is_searchable=False,
    is_unique=True,
    is_grouped=True,
    is_free_text=False,
    is_personal=False,
    is_public=True,
    read_cell=read_number_cell,
    has_one=False,
    write_cell=write_number_cell,
)
