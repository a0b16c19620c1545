"""Durations, kept as the ISO 8601 text that is answered; sorted, compared and measured as its seconds.

Whatever shows a stored value (records, events, versions, runs, exports) shows it as it is stored, so the text
is what is stored, in one form alone. The seconds are in the sort key, and SQL reads them out of the text.
"""

import re
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from babel.units import format_unit

from svc.domain.errors import InvalidValue
from svc.domain.input.near_names import shown
from svc.domain.locale.durations import HOUR_SECONDS, MINUTE_SECONDS, hours_of, iso_duration, parse_duration
from svc.domain.locale.locales import Place
from svc.domain.records.cells.formats import CellFormats, CellReader
from svc.domain.records.kinds.kind import FormInput, Kind
from svc.domain.records.kinds.text import write_text_cell
from svc.domain.records.limits import DURATION_HOURS_MAX
from svc.domain.records.operators import RANGED, SUMMED
from svc.domain.records.properties import Property, Value

_CLOCK: Final = re.compile(r"([0-9]{1,6}):([0-5][0-9])(?::([0-5][0-9]))?")
"""Hours and minutes, and seconds, as people and spreadsheets write them."""
_UNITS: Final = ("duration-hour", "duration-minute", "duration-second")


def _read(_prop: Property, text: str, _country: str) -> Value:
    try:
        seconds = parse_duration(text)
    except ValueError:
        raise InvalidValue(
            "must be a duration of weeks, days, hours, minutes and whole seconds such as PT1H30M (ISO 8601)"
        ) from None
    if seconds > DURATION_HOURS_MAX * HOUR_SECONDS:
        raise InvalidValue(f"must be at most {DURATION_HOURS_MAX:,} hours")
    return iso_duration(seconds)


def _read_form(prop: Property, text: str, country: str) -> Value:
    return _read(prop, _iso(text), country)


def _iso(text: str) -> str:
    """*text*, of ISO 8601 in any case or with colons, as ISO 8601; another text as it is."""
    clock = _CLOCK.fullmatch(text)
    if clock is None:
        return text.upper()
    return iso_duration(int(clock[1]) * HOUR_SECONDS + int(clock[2]) * MINUTE_SECONDS + int(clock[3] or 0))


def _text(value: str, place: Place, _currency: str | None) -> str:
    numbers = hours_of(parse_duration(value))
    parts = [(number, unit) for number, unit in zip(numbers, _UNITS, strict=True) if number]
    first, *others = (
        format_unit(number, unit, length="short", locale=place.locale)
        for number, unit in parts or [(0, _UNITS[-1])]
    )
    patterns = place.locale.list_patterns.get("unit-short") or {}  # Babel leaves out what is inherited
    pattern = patterns.get("2") or patterns.get("end") or "{0}, {1}"
    for part in others:
        first = pattern.format(first, part)
    return first


def _measured(seconds: int | Decimal) -> str:
    return iso_duration(int(Decimal(seconds).to_integral_value(ROUND_HALF_UP)))


def _read_cell(_prop: Property, _formats: CellFormats) -> CellReader:
    def read(cell: str) -> str:
        text = _iso(cell)
        try:
            parse_duration(text)
        except ValueError:
            raise InvalidValue(f"must be a duration such as 1:30 or PT1H30M, not {shown(cell)}") from None
        return text

    return read


KIND: Final = Kind(
    name="duration",
    json_type=str,
    json_name="a string",
    read=_read,
    refers_to=None,
    form=FormInput("text", _read_form),
    order="seconds",
    text=_text,
    compared="seconds",
    compared_with="duration",
    fits_key=False,
    conditions=RANGED,
    aggregates=SUMMED,
    measured=_measured,
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
